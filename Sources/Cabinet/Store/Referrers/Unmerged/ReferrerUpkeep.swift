import CabinetBackend

// What saves leave for later of the table of referrers, by commits that no save waits for.
extension ReferrerTable {
    /// So many owners and targets make a commit: a save that comes meanwhile waits for some 10 ms. A block
    /// is entered whole: an owner with a long list takes as long as a save of the list.
    private static let upkeepLimit = 16_384
    /// So often in a row others may come before a commit.
    private static let patience = 100

    /// Enters what unmerged blocks say as keys, and all references into a table that was given up. The store must
    /// have no pending changes.
    ///
    /// Saves go on meanwhile: as long as there are blocks they write further ones, so that nothing they write
    /// conflicts with what is entered.
    /// - Throws: what `checkCancelled` throws, which is called before each commit; what reading and committing
    ///   throw. What was committed stays.
    func keepInForm(_ checkCancelled: () throws -> Void = {}) throws {
        var conflicts = 0
        while true {
            try checkCancelled()
            try store.refresh()
            try store.prepareParticipants()
            do {
                if try isGivenUp() {
                    try store.waitForUnawares(checkCancelled)
                    try enterAgain()
                } else if try anyUnmerged() {
                    try commitUnmerged(limit: Self.upkeepLimit)
                } else {
                    return
                }
                conflicts = 0
            } catch BackendError.conflict where conflicts < Self.patience {
                conflicts += 1
            }
        }
    }

    private func enterAgain() throws {
        try store.retrying {
            let commit = Commit(store: store, batch: store.backend.makeBatch(), isSave: false)
            _ = try store.run(commit) { try enterNewClasses(in: $0) }
        }
    }

    /// Makes a commit that enters unmerged blocks, or, if one is damaged, gives up the table.
    private func commitUnmerged(limit: Int = .max) throws {
        do {
            // What stores know of their objects stays true: they need not be told of the commit.
            _ = try store.commitBesideSaves(
                ofClass: nil, basis: store.basis, isAnnounced: false
            ) { try enterUnmerged(in: $0, limit: limit) }
        } catch let error as DataBufferError {
            store.log(.warning, "The table of referrers is made anew: \(error)")
            try giveUp()
        }
    }

    /// Enters all unmerged blocks before a commit that must not meet any.
    /// - Throws: ``BackendError/conflict(_:)`` where stores are isolated: the commit is to be begun anew, on
    ///   what was entered.
    func enterAllUnmerged() throws {
        try commitUnmerged()
        if store.isIsolated { throw BackendError.conflict([]) }
        forgetWhatIsSaved()
        try lookAgain()
    }
}

/// The table of referrers, as a part of a store.
struct ReferrerPart: StorePart {
    func hasWork(in store: Store, besides refused: Set<String>) throws -> Bool {
        guard let table = store.referrerTable, store.isIsolated, store.maySave else { return false }
        return try table.isGivenUp() || table.anyUnmerged()
    }

    func work(in store: Store, _ upkeep: UpkeepTask) throws {
        try store.referrerTable?.keepInForm(upkeep.checkCancelled)
    }
}

extension Store {
    /// From how many changed owners on a save writes unmerged blocks: for tests that have few objects.
    package var unmergedReferenceLimit: Int {
        get { referrerTable?.unmergedLimit ?? ReferrerTable.usualUnmergedLimit }
        set { referrerTable?.unmergedLimit = newValue }
    }
}
