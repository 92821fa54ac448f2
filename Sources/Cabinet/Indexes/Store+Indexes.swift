import CabinetBackend

extension Store {
    /// What keeps the indexes, if any class of the store has derived tables.
    var indexKeeper: IndexKeeper? { annexIfMade(IndexKeeper.self) }

    /// - Throws: ``StoreError/collationChanged(class:index:collation:)``
    func checkCollations(of index: ClassIndex, _ entry: DerivedEntry?) throws {
        guard let entry, entry.definition == index.definition,
            entry.collations != index.collations, !index.index.followsCollations,
            let collation = index.sources.compactMap(\.column.collation).first
        else { return }
        // Another collation, or another version, is another index.
        guard Self.names(in: entry.collations) == Self.names(in: index.collations)
        else { return }
        throw StoreError.collationChanged(
            class: index.storedClass.name, index: index.name, collation: "\(collation)")
    }

    /// Name and version of each collation, without its fingerprint.
    private static func names(in collations: String) -> [Substring] {
        collations.split(separator: ", ").map { text in
            text.lastIndex(of: " ").map { text[..<$0] } ?? text
        }
    }
}
