import CabinetBackend
import Dispatch

/// What goes on beside saves: compaction, and flushing trees while there are no saves.
///
/// `Sendable` because its own lock guards its state, and the queue runs one thing at a time.
final class Upkeep: @unchecked Sendable {
    let queue = DispatchQueue(label: "Cabinet.upkeep", qos: .utility)
    /// Held while a compaction goes on.
    let compacting = Lock()
    private let lock = Lock()
    private var cancelled = false
    private var compactionIsDue = false
    private var flushIsDue = false
    private var lastCommitTime = DispatchTime.now()

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

    /// Notes a commit. Returns whether the caller has to schedule a look for an idle moment.
    func noteCommit() -> Bool {
        lock.withLock {
            lastCommitTime = .now()
            defer { flushIsDue = true }
            return !flushIsDue
        }
    }

    /// Whether there was no save for a second; then the looking is over.
    func isIdle() -> Bool {
        lock.withLock {
            guard DispatchTime.now() >= lastCommitTime + .seconds(1) else { return false }
            flushIsDue = false
            return true
        }
    }
}

extension TokyoBackend {
    /// The log may be this much longer than twice what is alive: 64 MiB.
    static let compactionMargin: UInt64 = 64 << 20

    /// Sees whether there is something to be done beside saves; with the turn.
    func noteCommit() {
        let hasTrees = byNumber.contains { $0?.kind == .ordered }
        if hasTrees, upkeep.noteCommit() { flushWhenIdle() }
        guard commitLog.appendedBytes > Self.compactionMargin,
            commitLog.appendedBytes + snapshotBytes > liveBytes * 2 + Self.compactionMargin,
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
        byNumber.reduce(0) { sum, table in
            switch table?.view {
            case .hash(let file): sum + file.image.end - file.image.firstRecord
            case .ordered(let file): sum + file.size
            case .unavailable, nil: sum
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
            guard let (chain, commitNumber) = try closeSegment() else { return false }
            var sources: [any OperationSource] = []
            for link in chain.links.dropLast() {
                sources.append(try SegmentSource(link, store: commitLog.store, files: files))
            }
            let old = chain.snapshot.map { paths.snapshot($0.commitNumber) }
            let done = try Compactor.compact(
                files: files, directory: paths.log, snapshot: old, segments: sources,
                into: paths.snapshot(commitNumber), commitNumber: commitNumber,
                storeID: commitLog.store, progress: progress,
                isCancelled: { self.upkeep.isCancelled || isCancelled() })
            guard done != nil else { return false }
            try removeReplaced(commitNumber)
            return true
        }
    }

    /// Begins a new segment, so that the ones before change no more.
    private func closeSegment() throws(BackendError) -> (SegmentChain, CommitNumber)? {
        try checkWritable()
        let owner = SegmentOwner()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        try checkWritable()
        guard !isLegacy, commitLog.lastCommit > 0 else { return nil }
        try prepareLog()
        let before = try SegmentChain(files: files, paths: paths)
        guard commitLog.lastCommit > before.snapshotCommit else { return nil }
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
        commitLog.noteSnapshot(commitNumber, segments: Set(chain.links.map(\.number)))
        for path in chain.leftovers where !path.hasSuffix(".new") { try removeReplaced(path) }
        snapshotBytes = chain.snapshot?.tables.reduce(0) { $0 + $1.bytes } ?? 0
        var size: UInt64 = 0
        for link in chain.links { size += try files.status(of: link.path)?.size ?? 0 }
        commitLog.appendedBytes = size
    }

    // MARK: Flushing

    /// Brings the caches of trees into their files once there was no save for a second, so that a
    /// kill after that costs no rebuilding.
    private func flushWhenIdle() {
        let upkeep = upkeep
        upkeep.queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            guard !upkeep.isCancelled else { return }
            if upkeep.isIdle() { self?.flushTrees() } else { self?.flushWhenIdle() }
        }
    }

    /// Brings the caches of all trees into their files.
    func flushTrees() {
        let owner = SegmentOwner()
        guard (try? turn.take(for: owner)) != nil else { return }
        defer { turn.giveBack(owner) }
        lock.writing {
            for table in byNumber {
                guard !isClosed, let table, case .ordered(let file) = table.view,
                    file.isWriting
                else { continue }
                do {
                    try file.flush(mark(table))
                } catch {
                    log(.warning, "\(file.path) could not be flushed: \(error)")
                }
            }
        }
    }
}
