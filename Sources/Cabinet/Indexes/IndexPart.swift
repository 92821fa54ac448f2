import CabinetBackend

/// The indexes of a store's classes, as a part of the store.
struct IndexPart: StorePart {
    func setUp(in store: Store) throws { try store.setUpIndexes() }

    func hasWork(in store: Store, besides refused: Set<String>) throws -> Bool {
        try store.indexKeeper?.hasWork(passedOver: refused) ?? false
    }

    func work(in store: Store, _ upkeep: UpkeepTask) throws {
        guard let keeper = store.indexKeeper else { return }
        let builder = IndexBuilder(
            store, keeper, upkeep.progress, chunkLimit: upkeep.chunkLimit ?? KeyChunk.countLimit)
        defer { upkeep.refused.formUnion(builder.refused.keys) }
        try builder.run()
    }

    func incomplete(in store: Store) throws -> [String] { try store.indexesLackingKeys() }

    func findings(
        in store: Store, isolation: isolated (any Actor)?
    ) async throws -> [GraphFinding] { try await store.indexFindings(isolation: isolation) }

    func add(to report: inout DebugReport, on store: Store) {
        report.unusedIndexes = (try? store.unusedIndexes()) ?? []
    }
}
