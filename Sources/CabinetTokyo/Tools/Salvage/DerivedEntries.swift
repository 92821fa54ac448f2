import CabinetBackend

/// What `Cabinet` makes of records: its indexes, text indexes and table of referrers.
///
/// A salvage leaves it out. Where saves are lost, it would not fit the records that are left, and it tells
/// the order of saves by their numbers, which begin anew. A store makes it of the records when it is opened
/// and saved to.
enum DerivedEntries {
    /// Whether a table holds nothing else.
    static func isDerived(_ definition: TableDefinition) -> Bool {
        guard definition.kind == .ordered else { return false }
        return definition.name == "Store.referrers" || definition.name.hasPrefix("Index.")
            || definition.name.hasPrefix("Text.")
    }

    /// Whether an entry of the catalog says how complete such a table is.
    static func isDerived(entry name: UnsafeRawBufferPointer) -> Bool {
        let name = String(decoding: name, as: UTF8.self)
        return name == "referrers" || name.hasPrefix("indexes.") || name.hasPrefix("texts.")
    }
}
