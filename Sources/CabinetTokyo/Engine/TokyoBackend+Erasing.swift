import CabinetBackend

extension TokyoBackend {
    /// Makes a snapshot, lays all views out anew from it and removes the log that it replaces, so far as no
    /// name of the feed needs that. Saves go on beside the first, and neither saves nor reads beside the second.
    /// Takes disk space for the whole store twice.
    ///
    /// A follower, and a walk over the feed that is not at its end, hold files that were removed for as long
    /// as they need them.
    public func erasePast(upTo number: CommitNumber) throws(BackendError) {
        try checkWritable()
        if counters.withLock({ $0.erased }) < number {
            let reached = lastVisible
            // `false` also if the snapshot has all commits.
            _ = try compact(progress: { _ in }, isCancelled: { false })
            guard counters.withLock({ $0.snapshotCommit }) >= number else { throw .closed }
            try layOutAnew()
            counters.withLock { $0.erased = max($0.erased, reached) }
        }
        try removeUnneeded()
    }

    /// Stands for a caller that takes the turn for a moment.
    private final class Eraser {}

    /// Makes all views, or some, from the snapshot and the log behind it, so that neither free blocks of hash
    /// files nor layers of runs have anything else.
    func layOutAnew(_ isWanted: (Table) -> Bool = { _ in true }) throws(BackendError) {
        try upkeep.settling.withLock { () throws(BackendError) in
            let owner = Eraser()
            try turn.take(for: owner)
            defer { turn.giveBack(owner) }
            try lock.writing { () throws(BackendError) in
                try checkOpen()
                try prepareToRebuild()
                try rebuild(byNumber.compactMap { $0 }.filter(isWanted))
            }
        }
    }
}
