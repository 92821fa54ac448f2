import CSystem
import CabinetBackend
import Dispatch

/// What goes on beside saves: compaction, and writing and merging runs.
///
/// `Sendable` because its own lock guards its state, and the queue runs one thing at a time.
final class Upkeep: @unchecked Sendable {
    let queue = DispatchQueue(label: "Cabinet.upkeep", qos: .utility)
    /// Of compactions; tests make them small.
    let limits = Guarded(Compactor.Limits())
    /// Held while a compaction goes on.
    let compacting = Lock()
    /// Held while runs are written or merged; taken before the writer's turn, never after it.
    let settling = Lock()
    private let lock = Lock()
    private var cancelled = false
    private var compactionIsDue = false
    /// The tables whose settling is in the queue.
    private var unsettled: Set<TableNumber> = []

    var isCancelled: Bool { lock.withLock { cancelled } }
    func cancel() { lock.withLock { cancelled = true } }

    /// Whether a compaction is to be begun; one at a time.
    func claimCompaction() -> Bool {
        lock.withLock {
            defer { compactionIsDue = true }
            return !compactionIsDue
        }
    }

    func endCompaction() { lock.withLock { compactionIsDue = false } }

    /// Whether the settling of a table is to be put into the queue; once at a time.
    func claimSettling(of table: TableNumber) -> Bool {
        lock.withLock { unsettled.insert(table).inserted }
    }

    func endSettling(of table: TableNumber) { lock.withLock { _ = unsettled.remove(table) } }
}

extension TokyoBackend {
    /// The log may be this much longer than what is alive: 64 MiB.
    static let compactionMargin: UInt64 = 64 << 20

    /// Sees whether there is something to be done beside saves; with the turn.
    func noteCommit(dropsTables: Bool = false) {
        let isLong =
            commitLog.appendedBytes > Self.compactionMargin
            && commitLog.appendedBytes - Self.compactionMargin > liveBytes
        guard isLong || dropsTables && counters.withLock({ $0.needSnapshot }),
            upkeep.claimCompaction()
        else { return }
        upkeep.queue.async { [weak self] in
            guard let self else { return }
            defer { upkeep.endCompaction() }
            do {
                try compact()
            } catch {
                log(.warning, "The log of \(location) could not be compacted: \(error)")
            }
        }
    }

    /// About how many bytes of records there are.
    private var liveBytes: UInt64 {
        lock.reading {
            byNumber.reduce(0) { sum, table in
                switch table?.view {
                case .hash(let file): sum + file.image.end - file.image.firstRecord
                case .ordered(let view): sum + view.size
                case .unavailable, nil: sum
                }
            }
        }
    }

    // MARK: Compaction

    /// Makes a new snapshot of all commits so far, beside which saves and reads go on, and removes
    /// the log that it replaces. Whatever happens, what was saved stays saved: until the snapshot
    /// has its name, the old log is the truth, and from then on the snapshot.
    package func compact() throws(BackendError) {
        _ = try compact(progress: { _ in }, isCancelled: { false })
    }

    /// - Returns: `false` if it was cancelled, or there was nothing to do.
    func compact(
        progress: (Compactor.Progress) -> Void, isCancelled: () -> Bool
    ) throws(BackendError) -> Bool {
        try checkProcess()
        return try upkeep.compacting.withLock { () throws(BackendError) in
            try compactAlone(progress: progress, isCancelled: isCancelled)
        }
    }

    /// Likewise, for a caller that holds ``Upkeep/compacting``.
    ///
    /// - Parameter evenIfCurrent: whether also a snapshot that has all commits is written anew.
    func compactAlone(
        evenIfCurrent: Bool = false, progress: (Compactor.Progress) -> Void,
        isCancelled: () -> Bool
    ) throws(BackendError) -> Bool {
        guard let (chain, commitNumber) = try closeSegment(evenIfCurrent) else { return false }
        var sources: [any OperationSource] = []
        for link in chain.links.dropLast() {
            sources.append(try SegmentSource(link, store: commitLog.store, files: files))
        }
        let old = chain.snapshot.map { paths.snapshot($0.commitNumber) }
        let done = try Compactor.compact(
            files: files, directory: paths.log, snapshot: old, segments: sources,
            into: paths.snapshot(commitNumber), commitNumber: commitNumber,
            storeID: commitLog.store, limits: upkeep.limits.withLock { $0 }, progress: progress,
            isCancelled: { self.upkeep.isCancelled || isCancelled() })
        guard done != nil else { return false }
        settleAll()
        try removeReplaced(commitNumber)
        // Seldom enough, and often enough that a process that saves for weeks does not grow.
        cabinet_return_memory()
        return true
    }

    /// Begins a new segment, so that the ones before change no more.
    private func closeSegment(
        _ evenIfCurrent: Bool
    ) throws(BackendError) -> (SegmentChain, CommitNumber)? {
        try checkWritable()
        let owner = SegmentOwner()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        try checkWritable()
        guard !isLegacy, commitLog.lastCommit > 0 else { return nil }
        try prepareLog()
        let before = try SegmentChain(files: files, paths: paths)
        guard evenIfCurrent || commitLog.lastCommit > before.snapshotCommit else { return nil }
        // Nothing syncs what a snapshot has replaced, and a name of the feed may need it.
        if let (names, _) = try namesAndLines(), !names.isEmpty {
            try commitLog.sync(tables: tableStates)
        }
        try commitLog.roll(tables: tableStates)
        return (try SegmentChain(files: files, paths: paths), commitLog.lastCommit)
    }

    private final class SegmentOwner {}

    private func removeReplaced(_ commitNumber: CommitNumber) throws(BackendError) {
        let owner = SegmentOwner()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        // After closing, the next opening removes what is left over.
        try checkWritable()
        let chain = try SegmentChain(files: files, paths: paths)
        counters.withLock { $0.snapshotCommit = commitNumber }
        try removeUnneeded(of: chain)
        commitLog.noteSnapshot(commitNumber, segments: Set(chain.links.map(\.number)))
        for path in chain.leftovers where !path.hasSuffix(".new") { try removeReplaced(path) }
        var size: UInt64 = 0
        for link in chain.links { size += try files.status(of: link.path)?.size ?? 0 }
        commitLog.appendedBytes = size
    }

    /// Writes the runs of all ordered tables, so that none needs the log that is to be removed. A
    /// table for which that fails is rebuilt at the next opening, from the snapshot.
    private func settleAll() {
        let numbers = lock.reading {
            byNumber.compactMap { $0?.kind == .ordered ? $0?.number : nil }
        }
        for number in numbers { settle(number, evenIfSmall: true) }
    }
}
