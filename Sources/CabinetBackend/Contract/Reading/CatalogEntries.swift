/// The entries of `TableNumber.catalog` that engines keep for themselves, beside those of their users. No other
/// entry has such a name.
package enum CatalogEntries {
    /// Whether an engine keeps the entry under `key`, which so holds in its own store alone.
    package static func isEngines(_ key: UnsafeRawBufferPointer) -> Bool {
        names.contains { key.elementsEqual($0.utf8) }
            || prefixes.contains { key.starts(with: $0.utf8) }
    }

    private static let names = ["store", "tables", "dropped", "lines"]
    private static let prefixes = ["rows/", "table/"]
}
