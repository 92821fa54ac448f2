import CabinetBackend

/// Builds the indexes of a store's classes that are not complete.
///
/// A commit says that an index is being built; from then on each save enters what it changes. The
/// builder then goes over the records as of a later commit, and enters those that no save has changed
/// since. What saves enter, and what a builder that was stopped has entered, it passes over.
final class IndexBuilder {
    let store: Store
    let keeper: IndexKeeper
    let progress: UpkeepProgress
    let keys = IndexKeys()
    let chunk: KeyChunk
    /// Indexes that this builder has found to be not unique.
    private(set) var refused: [String: any Error] = [:]

    /// How often the builder looks again at one index, after others have changed what it is about to.
    private static let attemptsLimit = 1_000

    init(
        _ store: Store, _ keeper: IndexKeeper, _ progress: UpkeepProgress,
        chunkLimit: Int = KeyChunk.countLimit
    ) {
        chunk = KeyChunk(limit: chunkLimit)
        (self.store, self.keeper, self.progress) = (store, keeper, progress)
    }

    /// Builds all of them.
    /// - Throws: `CancellationError`; why an index could not be built, once the others are.
    func run() throws {
        try renew()
        var failure: (any Error)?
        for indexes in try keeper.allTables() {
            for index in indexes.all {
                do { try build(index, indexes) } catch let error as StoreError {
                    if case .closed = error { throw error }
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
    }

    /// Learns of all that others have committed and registered.
    private func renew() throws {
        if store.isIsolated { try store.advance() }
        try keeper.derived.prepareToBuild()
    }

    func checkCancelled() throws {
        if progress.isCancelled { throw CancellationError() }
    }

    private func build(_ index: ClassIndex, _ indexes: ClassIndexes) throws {
        for _ in 0..<Self.attemptsLimit {
            try checkCancelled()
            SchedulePoint.building.pass()
            try renew()
            // It may have been unregistered.
            guard indexes.tables[index.kind, index.name] === index else { return }
            guard let entry = index.entry, index.isAsDefined else {
                if index.entry == nil, try hasNoRecords(indexes.storedClass) { return }
                try beginAnew(index, indexes)
                continue
            }
            switch entry.state {
            case .complete: return
            case .building: try refusingDuplicates(index, indexes) { try fill(index, indexes) }
            case .unknown: try beginAnew(index, indexes)
            case .behind where entry.since == 0: try beginAnew(index, indexes)
            case .behind:
                var entry = entry
                entry.state = .catchingUp
                _ = try keeper.derived.commit(entry, of: indexes.tables)
            case .catchingUp: try refusingDuplicates(index, indexes) { try catchUp(index, indexes) }
            case .refused:
                if let error = refused[index.workName] { throw error }
                try beginAnew(index, indexes)
            }
        }
        throw BackendError.conflict([])
    }

    private func hasNoRecords(_ storedClass: StoredClass) throws -> Bool {
        try store.reader.count(of: storedClass.table) == 0
    }

    /// Notes why an index cannot be unique, if `body` throws that.
    private func refusingDuplicates(
        _ index: ClassIndex, _ indexes: ClassIndexes, _ body: () throws -> Void
    ) throws {
        do { try body() } catch let error as StoreError {
            switch error {
            case .notUnique, .keyTooLong: break
            default: throw error
            }
            refused[index.workName] = error
            try renew()
            guard indexes.tables[index.kind, index.name] === index, var entry = index.entry,
                entry.state.takesPart
            else { return }
            entry.state = .refused
            _ = try keeper.derived.commit(entry, of: indexes.tables)
        }
    }

    // MARK: Entries

    /// The index gets a new table, and its former one is dropped.
    func beginAnew(_ index: ClassIndex, _ indexes: ClassIndexes) throws {
        _ = try keeper.derived.commitAnew(index, of: indexes.tables)
    }
}
