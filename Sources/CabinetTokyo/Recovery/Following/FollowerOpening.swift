import CabinetBackend

/// Opens a store for reading that another process has open for writing, and changes nothing in its
/// directory. Reads are served from views in a directory of this process: copies of the writer's,
/// brought up to the last final commit by the log, or made from snapshot and log.
struct FollowerOpening {
    private let opening: Opening
    private let changes: DirectoryChanges
    private let known: CommitNumber

    /// - Parameter known: a commit that was taken up before.
    init(_ opening: Opening, after known: CommitNumber = .none) {
        (self.opening, self.known) = (opening, known)
        changes = DirectoryChanges(files: opening.files, paths: opening.paths)
    }

    func open() throws(BackendError) -> Opening.Opened {
        let views = try TemporaryViews(files: opening.files)
        return try changes.repeating { () throws(BackendError) in
            var opened = try attempt(views)
            opened.copies = views
            return opened
        }
    }

    private func attempt(_ views: TemporaryViews) throws(BackendError) -> Opening.Opened {
        let files = opening.files
        let copies = StorePaths(root: views.directory)
        try views.removeAll()
        try files.makeDirectory(copies.log)
        // Before the log is read, which reaches as far as they do then.
        try ViewCopies(files: files, source: opening.paths, target: copies).copy()
        let chain = try SegmentChain(visibleIn: changes, atLeast: known)
        guard let store = chain.store else { return empty(UInt64.random(in: 1...UInt64.max), nil) }
        let scan = try LogScan(files: files, chain: chain)
        if let hole = scan.hole { throw .corrupt(path: hole.path, offset: hole.offset) }
        var current: CommitLog.Segment?
        if let part = scan.parts.last {
            current = CommitLog.Segment(
                number: part.number, file: try files.open(part.path, for: .reading), end: part.end,
                syncedEnd: part.end)
        }
        guard scan.lastCommit > 0 else { return empty(store, current) }
        try opening.checkCatalog(scan)
        let commitLog = CommitLog(
            files: files, paths: opening.paths, store: store, durability: opening.durability,
            lastCommit: scan.lastCommit, syncedCommit: scan.lastCommit,
            highestSegment: chain.highestSegment, current: current)
        let views = Opening(
            files: files, paths: copies, durability: opening.durability, access: .readWrite,
            log: opening.log, isOfCopies: true)
        var viewOpening = ViewOpening(
            opening: views, commitLog: commitLog, source: LogSource(scan, files: files),
            coherent: true, seals: TableMap(),
            estimates: TableMap(scan.puts.lazy.map { ($0.key, $0.value) }))
        let tables = try viewOpening.open(Array(scan.tables.values))
        return Opening.Opened(
            commitLog: commitLog, tables: tables,
            highestTable: try viewOpening.highestTable(atLeast: scan.highestTable, tables))
    }

    /// A store in which no commit is final yet.
    private func empty(
        _ store: UInt64, _ current: CommitLog.Segment?
    ) -> Opening.Opened {
        let commitLog = CommitLog(
            files: opening.files, paths: opening.paths, store: store,
            durability: opening.durability, lastCommit: 0, syncedCommit: 0,
            highestSegment: current?.number ?? 0, current: current)
        return Opening.Opened(
            commitLog: commitLog, tables: [nil, nil], highestTable: .namedBuffers)
    }
}
