import CabinetBackend

/// Enters what fresh blocks say as keys of the table of referrers, by commits that no save waits for.
///
/// It works for a store of its own. Saves go on meanwhile: as long as there are blocks they write further
/// ones, so that nothing they write conflicts with what is entered.
struct ReferrerUpkeep {
    /// So many owners make a commit: a save that comes meanwhile waits for some 10 ms.
    private static let ownerLimit = 8192
    /// So often in a row others may come before a commit.
    private static let patience = 100

    let store: Store
    let referrers: ReferrerTable

    /// - Parameter isCancelled: asked before each commit.
    /// - Throws: `CancellationError`; what reading and committing throw. What was committed stays.
    func run(_ isCancelled: () -> Bool) throws {
        var conflicts = 0
        while true {
            if isCancelled() { throw CancellationError() }
            try store.advance()
            try store.prepareParticipants()
            do {
                guard try enterSome() else { return }
                conflicts = 0
            } catch BackendError.conflict where conflicts < Self.patience {
                conflicts += 1
            } catch let error as DataBufferError {
                store.log(.warning, "The table of referrers is made anew: \(error)")
                try giveUpTable()
                return
            }
        }
    }

    /// Makes one commit. Returns whether there was anything to enter.
    private func enterSome() throws -> Bool {
        guard try referrers.anyFresh() else { return false }
        try commit { _ = try referrers.enterFresh(in: $0, ownerLimit: Self.ownerLimit) }
        return true
    }

    /// Drops the table: the next save of a store whose classes track enters all references.
    private func giveUpTable() throws {
        guard let table = referrers.table else { return }
        try commit { batch in
            try batch.drop(table)
            try Array(CatalogName.referrers.utf8).withUnsafeBytes { key throws in
                try batch.put(
                    UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: .catalog)
            }
        }
        _ = store.hub.didCommit()
    }

    private func commit(_ body: (WriteBatch) throws -> Void) throws {
        let batch = store.backend.makeBatch()
        do { try body(batch) } catch {
            store.backend.discard(batch)
            throw error
        }
        batch.basis = store.basis
        // What stores know of their objects stays true: they need not be told of a commit.
        try store.backend.commit(batch)
    }
}

extension Store {
    /// Whether fresh blocks are to be entered into the table of referrers.
    func hasReferrerWork() throws -> Bool {
        guard let referrerTable, isIsolated else { return false }
        return try referrerTable.anyFresh()
    }

    /// From how many changed owners on a save writes fresh blocks: for tests that have few objects.
    package var freshReferenceLimit: Int {
        get { referrerTable?.freshLimit ?? ReferrerTable.usualFreshLimit }
        set { referrerTable?.freshLimit = newValue }
    }

    /// Enters them. The store must have no pending changes.
    /// - Throws: `CancellationError`; what reading and committing throw.
    func keepReferrersInForm(_ isCancelled: () -> Bool = { false }) throws {
        guard let referrerTable, isIsolated, backend.access == .readWrite else { return }
        try ReferrerUpkeep(store: self, referrers: referrerTable).run(isCancelled)
    }
}
