import CabinetBackend

/// The derived tables of a store's classes, as a part of the store.
struct DerivedPart: StorePart {
    /// The kinds that there are.
    let kinds: [DerivedKeeper.Type]

    func setUp(in store: Store) throws {
        for storedClass in store.classes {
            let declared = kinds.indices.filter { kinds[$0].isDeclared(by: storedClass) }
            let entries = try store.reader.derivedEntries(ofClass: storedClass.number)
            // Another process may make tables of any class: each save requires that it has seen them.
            if declared.isEmpty, entries.all.isEmpty, !entries.isUnreadable,
                !store.backend.hasOtherWriters || !store.maySave
            {
                continue
            }
            let derived = makeTables(in: store)
            let tables = derived.makeTables(of: storedClass)
            for kind in declared { try derived.keepers[kind].declare(tables, entries) }
        }
    }

    func makeTables(in store: Store) -> DerivedTables {
        if let derived = store.derived { return derived }
        let derived = DerivedTables(store, kinds)
        store.annexes.append((ObjectIdentifier(DerivedTables.self), derived))
        store.add(derived)
        return derived
    }

    func hasWork(in store: Store, besides refused: Set<String>) throws -> Bool {
        guard let derived = store.derived else { return false }
        return try derived.lackingRecords().contains { !refused.contains($0.workName) }
            || derived.keepers.contains { try $0.hasUpkeep() }
    }

    func unitsOfWork(in store: Store) throws -> Int {
        try store.derived?.lackingRecords().reduce(0) {
            try $0 + max(store.reader.count(of: $1.storedClass.table), 1)
        } ?? 0
    }

    func work(in store: Store, _ upkeep: UpkeepTask) throws {
        guard let derived = store.derived else { return }
        // What fails keeps nothing else from being done.
        let outcome = Result { try TableBuilder(derived, upkeep).run() }
        try upkeep.checkCancelled()
        for keeper in derived.keepers { try keeper.keepInForm(upkeep) }
        try outcome.get()
    }

    func incomplete(in store: Store) throws -> [String] {
        try store.derived?.lackingRecords().map(\.fullName) ?? []
    }

    func findings(
        in store: Store, isolation: isolated (any Actor)?
    ) async throws -> [CheckFinding] {
        try await store.tableFindings(isolation: isolation)
    }

    func add(to report: inout DebugReport, on store: Store) {
        for keeper in store.derived?.keepers ?? [] { keeper.add(to: &report) }
    }
}

extension DerivedTables {
    /// Whether a table lacks records. The first save of a class without records defines its tables: until then
    /// they lack nothing.
    func lacksRecords(_ table: DerivedTable) throws -> Bool {
        if table.isComplete { return false }
        return try table.isKnown || store.reader.count(of: table.storedClass.table) > 0
    }

    /// The tables that cannot be used yet.
    fileprivate func lackingRecords() throws -> [DerivedTable] {
        try allTables().flatMap { try $0.all.filter(lacksRecords) }
    }
}

extension Store {
    /// What keeps the derived tables, if any class of the store has some, whether the program knows them or
    /// not.
    var derived: DerivedTables? { annexIfMade(DerivedTables.self) }

    /// What keeps the derived tables; made if no class has had some.
    func makeDerived() -> DerivedTables {
        if let derived { return derived }
        let part = parts.lazy.compactMap { $0 as? DerivedPart }.first ?? DerivedPart(kinds: [])
        return part.makeTables(in: self)
    }

    /// Adds the table of an entry to a batch.
    func defineTable(
        of entry: DerivedEntry, in batch: WriteBatch
    ) throws(BackendError) -> TableNumber {
        let definition = try backend.claim(
            TableClaim(kind: .ordered, name: entry.table, flags: .derived))
        try batch.define(definition)
        return definition.number
    }
}
