import CabinetBackend

extension Store: IndexedStore {
    /// What keeps the indexes, if any class of the store has some, whether the program knows them or
    /// not.
    var indexKeeper: IndexKeeper? { annexIfMade(KeptIndexes.self)?.keeper }

    func setUpIndexes() throws {
        for storedClass in classes {
            let declared = storedClass.type.indexes
            let entries = try reader.indexEntries(ofClass: storedClass.number)
            if declared.isEmpty, entries.all.isEmpty, !entries.isUnreadable { continue }
            let indexes = makeIndexKeeper().makeIndexes(of: storedClass)
            let fields = fields(of: storedClass)
            for index in declared {
                let made = try ClassIndex(index, of: storedClass, fields)
                try add(made, to: indexes)
                try checkCollations(of: made, entries[made.name])
                // Stores that were opened without the index keep it, too.
                hub.register(indexRegistration(of: made, isDeclared: true))
            }
        }
    }

    /// What keeps the indexes; made if no class has had some.
    func makeIndexKeeper() -> IndexKeeper {
        if let indexKeeper { return indexKeeper }
        let keeper = IndexKeeper(self)
        _ = annex(KeptIndexes.self) { _ in KeptIndexes(keeper) }
        add(keeper)
        return keeper
    }

    func add(_ index: ClassIndex, to indexes: ClassIndexes) throws {
        try indexes.checkName(of: index)
        _ = indexes.add(index)
        // The catalog may have an entry of it.
        indexKeeper?.forgetWhatIsSaved()
        noteFollowed()
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
