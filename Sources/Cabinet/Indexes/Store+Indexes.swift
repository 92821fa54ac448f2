import CabinetBackend

extension Store: IndexedStore {
    /// What keeps the indexes, if any class of the store has some, whether the program knows them or
    /// not.
    var indexKeeper: IndexKeeper? { annexIfMade(KeptIndexes.self)?.keeper }

    func setUpIndexes() throws {
        var keeper: IndexKeeper?
        for storedClass in classes {
            let declared = storedClass.type.indexes
            let entries = try reader.indexEntries(ofClass: storedClass.number)
            if declared.isEmpty, entries.all.isEmpty { continue }
            let made = keeper ?? IndexKeeper(self)
            keeper = made
            let indexes = made.makeIndexes(of: storedClass)
            let fields = fields(of: storedClass)
            for index in declared {
                try add(try ClassIndex(index, of: storedClass, fields), to: indexes)
            }
            for index in indexes.all { try checkCollations(of: index, entries[index.name]) }
        }
        guard let keeper else { return }
        keep(keeper)
    }

    private func keep(_ keeper: IndexKeeper) {
        _ = annex(KeptIndexes.self) { _ in KeptIndexes(keeper) }
        add(keeper)
    }

    private func add(_ index: ClassIndex, to indexes: ClassIndexes) throws {
        guard indexes.add(index) else {
            throw StoreError.badIndex(
                class: index.storedClass.name, index: index.name,
                reason: "the class has two indexes of that name; letter case does not count")
        }
    }

    private func checkCollations(of index: ClassIndex, _ entry: IndexEntry?) throws {
        guard let entry, entry.definition == index.definition.text,
            entry.collations != index.definition.collations, !index.index.followsCollations,
            let collation = index.sources.compactMap(\.column.collation).first
        else { return }
        // Another collation, or another version, is another index.
        guard Self.names(in: entry.collations) == Self.names(in: index.definition.collations)
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

private final class KeptIndexes {
    let keeper: IndexKeeper

    init(_ keeper: IndexKeeper) { self.keeper = keeper }
}
