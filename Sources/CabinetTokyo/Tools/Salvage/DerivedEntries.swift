import CabinetBackend

/// What the catalog says of derived tables (``TableFlags/derived``), and of readers of the feed.
///
/// A salvage leaves them out. Where saves are lost, they would not fit the records that are left, and they
/// tell the order of saves by their numbers, which begin anew. A store makes them of the records when it is
/// opened and saved to. Readers of the feed begin anew, as its line does; history, with what is left of the log.
enum DerivedEntries {
    /// Whether an entry of the catalog says how complete a derived table is, or how far a reader has come.
    static func isDerived(entry name: UnsafeRawBufferPointer) -> Bool {
        if KeptChanges.isEntry(name) { return true }
        let name = String(decoding: name, as: UTF8.self)
        return name == "derived" || name.hasPrefix("derived.")
    }
}
