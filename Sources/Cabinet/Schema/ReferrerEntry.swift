import CabinetBackend

/// What the catalog says of the table of referrers: a derived table of all classes, complete for some of them.
extension DerivedEntry {
    /// The numbers of the kinds that there are.
    static let (kindOfIndexes, kindOfTexts, kindOfReferrers): (UInt8, UInt8, UInt8) = (1, 2, 3)

    /// The name of its table: it holds a `.`, as no class's name does.
    static let tableOfReferrers = "Store.referrers"

    /// The entry of a table that is complete for the classes of these numbers.
    static func referrers(of classes: Set<UInt8>) -> DerivedEntry {
        DerivedEntry(
            kind: kindOfReferrers, name: "referrers", table: tableOfReferrers, generation: 1,
            state: .complete, definition: classes.inOrder().map { "\($0)" }.joined(separator: " "),
            collations: "")
    }
}

extension DerivedEntries {
    /// What is said of the table of referrers.
    var referrers: DerivedEntry? {
        get { self[DerivedEntry.kindOfReferrers, "referrers"] }
        set { self[DerivedEntry.kindOfReferrers, "referrers"] = newValue }
    }

    /// The classes that the table of referrers is complete for.
    var trackedClasses: Set<UInt8> {
        guard let referrers, referrers.state == .complete else { return [] }
        return Set(referrers.definition.split(separator: " ").compactMap { UInt8($0) })
    }
}

extension BackendReader {
    /// The classes that the table of referrers is complete for.
    func trackedClasses() throws(BackendError) -> Set<UInt8> {
        try derivedEntries(ofClass: nil).trackedClasses
    }
}
