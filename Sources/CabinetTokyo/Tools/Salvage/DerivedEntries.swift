import CabinetBackend

/// What the catalog says of derived tables (``TableFlags/derived``).
///
/// A salvage leaves them out. Where saves are lost, they would not fit the records that are left, and they
/// tell the order of saves by their numbers, which begin anew. A store makes them of the records when it is
/// opened and saved to.
enum DerivedEntries {
    /// Whether an entry of the catalog says how complete a derived table is.
    static func isDerived(entry name: UnsafeRawBufferPointer) -> Bool {
        let name = String(decoding: name, as: UTF8.self)
        return name == "referrers"
            || ["indexes.", "texts.", "derived."].contains { name.hasPrefix($0) }
    }
}
