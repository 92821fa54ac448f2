import CabinetBackend

/// The log as it was at one moment. What stands in it up to its end then is never changed, so
/// it can be read beside saves for as long as no compaction removes its files.
struct FrozenLog {
    let files: any FileLayer
    let store: UInt64
    let commitNumber: CommitNumber
    let snapshot: SnapshotReader?
    let snapshotPath: String?
    /// Oldest first, each with its end.
    let links: [SegmentChain.Link]
    /// How many bytes more there are for readers of the feed.
    var keptBytes: UInt64 = 0

    /// The bytes that there are to read.
    var size: UInt64 {
        links.reduce(snapshot?.footerOffset ?? 0) { $0 + ($1.limit ?? 0) }
    }

    /// Everything as of `commitNumber` in one sorted snapshot at `path`.
    /// - Throws: `CancellationError` too.
    func writeSnapshot(to path: String, in directory: String, _ pace: Pace) throws {
        var sources: [any OperationSource] = []
        for link in links { sources.append(try SegmentSource(link, store: store, files: files)) }
        var known: UInt64 = 0
        let done = try Compactor.compact(
            files: files, directory: directory, snapshot: snapshotPath, segments: sources,
            into: path, commitNumber: commitNumber, storeID: store,
            progress: { progress in
                pace.advance(progress.read + progress.written - known)
                known = progress.read + progress.written
            }, isCancelled: { pace.isStopped })
        if done == nil { throw CancellationError() }
    }
}

extension TokyoBackend {
    /// Stands for a caller that takes the turn for a moment.
    private final class Passer {}

    /// The log up to the last save; `nil` if nothing was saved yet, or all of it by
    /// BNRPersistence. Compaction must be held off for as long as it is used.
    func freeze() throws(BackendError) -> FrozenLog? {
        let passer = Passer()
        try turn.take(for: passer)
        defer { turn.giveBack(passer) }
        try lock.reading { () throws(BackendError) in try checkOpen() }
        guard commitLog.lastCommit > 0 else { return nil }
        let chain = try chainOfAll()
        return FrozenLog(
            files: files, store: commitLog.store, commitNumber: commitLog.lastCommit,
            snapshot: chain.snapshot,
            snapshotPath: chain.snapshot.map { commitLog.paths.snapshot($0.commitNumber) },
            links: chain.links, keptBytes: chain.kept.reduce(0) { $0 + ($1.limit ?? 0) }
        )
    }
}
