import CabinetBackend

/// All that views are made from: the snapshot, and the commits behind it.
struct LogSource {
    let files: any FileLayer
    let store: UInt64
    let snapshot: SnapshotReader?
    /// Oldest first.
    let parts: [Part]

    struct Part {
        var number: UInt64
        var path: String
        var end: UInt64
    }

    /// What a scan has found to be good.
    init(_ scan: LogScan, files: any FileLayer) {
        self.files = files
        store = scan.chain.store ?? 0
        snapshot = scan.chain.snapshot
        parts = scan.parts.map { Part(number: $0.number, path: $0.path, end: $0.end) }
    }

    /// What is on the disk now, up to the end of the log. The writer's turn must be held.
    init(_ commitLog: CommitLog) throws(BackendError) {
        files = commitLog.files
        store = commitLog.store
        let chain = try SegmentChain(ofAllIn: commitLog)
        snapshot = chain.snapshot
        parts = chain.links.map { Part(number: $0.number, path: $0.path, end: $0.limit ?? 0) }
    }

    var snapshotCommit: CommitNumber { snapshot?.commitNumber ?? 0 }

    /// Calls `body` with every commit behind the snapshot, in order, up to `last`.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` where they do not reach that far.
    func forEachCommit(
        upTo last: CommitNumber,
        _ body: (CommitReader.Commit) throws(BackendError) -> Void
    ) throws(BackendError) {
        var reached = snapshotCommit
        for part in parts {
            let reader = CommitReader(
                try SegmentReader(
                    files: files, path: part.path, number: part.number, store: store,
                    limit: part.end))
            while let item = try reader.next() {
                guard case .commit(let commit) = item, commit.number > reached else { continue }
                guard commit.number <= last else { break }
                reached = commit.number
                try body(commit)
            }
            guard reader.isAtLimit || reached >= last else {
                throw .corrupt(path: part.path, offset: reader.offset)
            }
        }
        guard reached >= last else {
            throw .corrupt(path: parts.last?.path ?? "", offset: parts.last?.end ?? 0)
        }
    }
}
