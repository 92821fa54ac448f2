import CabinetBackend

/// Enters what fresh blocks say as keys of the table of referrers, by commits that no save waits for.
///
/// It works for a store of its own. Saves go on meanwhile: as long as there are blocks they write further
/// ones, so that nothing they write conflicts with what is entered.
struct ReferrerUpkeep {
    /// So many owners and targets make a commit: a save that comes meanwhile waits for some 10 ms. A block
    /// is entered whole: an owner with a long list takes as long as a save of the list.
    private static let limit = 16_384
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
            guard try referrers.anyFresh() else { return }
            do {
                guard try referrers.commitFresh(limit: Self.limit) else { return }
                conflicts = 0
            } catch BackendError.conflict where conflicts < Self.patience {
                conflicts += 1
            }
        }
    }
}

extension ReferrerTable {
    /// Makes a commit that enters fresh blocks, or, if one is damaged, gives up the table: the next save of
    /// a store whose classes track their referrers enters all references. Returns whether there was a block.
    func commitFresh(limit: Int = .max) throws -> Bool {
        var isAny = false
        do {
            try commit { isAny = try enterFresh(in: $0, limit: limit) }
        } catch let error as DataBufferError {
            store.log(.warning, "The table of referrers is made anew: \(error)")
            try commit(giveUp)
            _ = store.hub.didCommit()
        }
        return isAny
    }

    /// Enters all fresh blocks before a commit that must not meet any.
    /// - Throws: ``BackendError/conflict(_:)`` where stores are isolated: the commit is to be begun anew, on
    ///   what was entered.
    func enterAllFresh() throws {
        _ = try commitFresh()
        if store.isIsolated { throw BackendError.conflict([]) }
        forgetWhatIsSaved()
        try lookAgain()
    }

    private func giveUp(in batch: WriteBatch) throws {
        guard let table else { return }
        try batch.drop(table)
        try Array(CatalogName.referrers.utf8).withUnsafeBytes { key throws in
            try batch.put(UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: .catalog)
        }
    }

    /// What stores know of their objects stays true: they need not be told of the commit.
    private func commit(_ body: (WriteBatch) throws -> Void) throws {
        let batch = store.backend.makeBatch()
        do { try body(batch) } catch {
            store.backend.discard(batch)
            throw error
        }
        if store.isIsolated { batch.basis = store.basis }
        try store.slot.commit(batch, to: store.backend)
    }
}

/// The table of referrers, as a part of a store.
struct ReferrerPart: StorePart {
    func hasWork(in store: Store, besides refused: Set<String>) throws -> Bool {
        try store.hasReferrerWork()
    }

    func work(in store: Store, _ upkeep: UpkeepTask) throws {
        try store.keepReferrersInForm { upkeep.progress.isCancelled }
    }
}

extension Store {
    /// Whether fresh blocks are to be entered into the table of referrers.
    func hasReferrerWork() throws -> Bool {
        guard let referrerTable, isIsolated, maySave else { return false }
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
