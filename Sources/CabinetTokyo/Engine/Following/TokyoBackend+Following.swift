import CabinetBackend

// A follower reads a store that another process writes. It serves reads from views of its own, to
// which it applies each commit that it finds in the log, as the writer applied it to its views.
extension TokyoBackend {
    /// Stands for a caller that takes the turn for a moment.
    private final class Follower {}

    /// Of a store that is only read: takes up the commits that another process has made, whole and in
    /// their order, and gives the number of the last. Reads beside it see each commit as it is taken
    /// up. At ``Durability/full`` a commit is taken up once it is known to be on the device; one that
    /// changes ordered tables alone shows that only with the commit after it.
    ///
    /// If another store, or an older copy, was put in the place of the directory, this throws
    /// ``BackendError/replaced(path:)``: commits that were taken up are not in it.
    ///
    /// If compactions have removed commits that were not taken up, all views are made anew from the
    /// snapshot, and frozen readers throw ``BackendError/snapshotTooOld(_:)``. So they do when the
    /// first commits are taken up of a process that began to write after the store was opened. Until
    /// the new views are complete, the old ones stay: the temporary directory needs room for both.
    ///
    /// - Throws: ``BackendError/corrupt(path:offset:)`` where a commit is damaged that others follow,
    ///   ``BackendError/wrongKey(path:)`` where a sealed store has got another key since, and data by it,
    ///   and what reading the log or writing to the temporary directory may throw. Then reads are of
    ///   the last commit that was taken up, and the next call goes on there.
    @discardableResult
    public func refresh() throws(BackendError) -> CommitNumber {
        guard isFollower else { return try lastCommit() }
        try checkProcess()
        let owner = Follower()
        try turn.take(for: owner)
        defer {
            turn.giveBack(owner)
            subscribers.deliver()
        }
        try lock.reading { () throws(BackendError) in try checkOpen() }
        let changes = DirectoryChanges(files: files, paths: commitLog.paths)
        do throws(BackendError) {
            try changes.repeating { () throws(BackendError) in
                if copies == nil {
                    if try hasNews(changes) { try startAnew() }
                } else {
                    try catchUp(changes)
                }
            }
        } catch { throw cause(of: error) }
        return lastVisible
    }

    /// Of what was read from the files of another process: that these are sealed by a key that this one does not
    /// have, if that is why they look damaged.
    func cause(of error: BackendError) -> BackendError {
        guard case .corrupt = error, isFollower else { return error }
        return files.sealer?.lostKey ?? error
    }

    /// Whether another process has made commits since the store was opened, or may have.
    private func hasNews(_ changes: DirectoryChanges) throws(BackendError) -> Bool {
        guard let current = commitLog.current else {
            return try changes.newestSegment() != commitLog.highestSegment
        }
        guard try changes.newestSegment() == current.number, try isInPlace(current) else {
            return true
        }
        let segment = try SegmentReader(
            files: files, file: current.file, number: current.number, store: commitLog.store)
        let reader = CommitReader(segment, at: current.end, after: commitLog.lastCommit)
        return try VisibleCommits(reader) { tables throws(BackendError) in
            durableCommit(changing: tables)
        }.last > commitLog.lastCommit
    }

    /// Whether a segment is still where it was opened.
    private func isInPlace(_ segment: CommitLog.Segment) throws(BackendError) -> Bool {
        let named = try files.status(of: commitLog.paths.segment(segment.number))?.identity
        return try named == files.status(of: segment.file).identity
    }

    private func catchUp(_ changes: DirectoryChanges) throws(BackendError) {
        if let current = commitLog.current {
            if try changes.newestSegment() == current.number, try !isInPlace(current) {
                return try startAnew()
            }
            let segment = try SegmentReader(
                files: files, file: current.file, number: current.number, store: commitLog.store)
            let (end, last) = (current.end, commitLog.lastCommit)
            let visible = try VisibleCommits(CommitReader(segment, at: end, after: last)) {
                tables throws(BackendError) in durableCommit(changing: tables)
            }
            // What was just read is final only if it had not been taken back by then.
            if try changes.newestSegment() == current.number {
                guard visible.last > last else { return }
                let reader = CommitReader(segment, at: end, after: last)
                while reader.lastCommit < visible.last, try take(reader) {}
                guard reader.lastCommit == visible.last else {
                    throw .corrupt(path: segment.path, offset: reader.offset)
                }
                return
            }
        }
        try followChain(changes)
    }

    /// The highest commit that is known to be durable from the marks of those views that a commit
    /// changes: the writer sets them after the sync.
    private func durableCommit(changing tables: UInt64) -> CommitNumber {
        var paths = tables & 1 == 1 ? [commitLog.paths.catalog] : []
        for table in byNumber {
            guard let table, table.kind != .ordered,
                tables & 1 << UInt64(table.number.rawValue % 64) != 0
            else { continue }
            paths.append(commitLog.paths.view(of: table.definition))
        }
        var durable: CommitNumber = 0
        for path in paths {
            guard let mark = (try? FileHead.read(path, files))?.mark, mark.store == commitLog.store
            else { continue }
            durable = max(durable, mark.applied, mark.synced)
        }
        return durable
    }

    /// Takes up the commits of a log that has other segments than it had.
    private func followChain(_ changes: DirectoryChanges) throws(BackendError) {
        let last = commitLog.lastCommit
        let chain = try SegmentChain(visibleIn: changes, atLeast: last)
        guard let store = chain.store, last == 0 || store == commitLog.store else {
            if chain.store == nil, last == 0 { return }
            throw .replaced(path: location)
        }
        let lines = Set(try lines().map(\.number))
        guard chain.links.allSatisfy({ lines.contains($0.header.line) }) || lines.isEmpty else {
            return try startAnew()
        }
        let index = chain.links.lastIndex { $0.header.firstCommit.previous <= last }
        guard let index else {
            return chain.snapshotCommit == last && last > 0 ? () : try startAnew()
        }
        for link in chain.links[index...] {
            let segment = try SegmentReader(
                files: files, path: link.path, number: link.number, store: store, limit: link.limit)
            let reader = CommitReader(segment)
            guard try reader.pass(upTo: commitLog.lastCommit) else {
                throw .corrupt(path: link.path, offset: reader.offset)
            }
            // The log ends before what was taken up: a power cut or a backup has taken it back.
            guard reader.lastCommit == commitLog.lastCommit else { return try startAnew() }
            commitLog.follow(commitLog.lastCommit, of: store, in: place(of: reader))
            while try take(reader) {}
            guard reader.isAtLimit else {
                throw .corrupt(path: link.path, offset: reader.offset)
            }
            commitLog.follow(commitLog.lastCommit, of: store, in: place(of: reader))
        }
    }

    private func place(of reader: CommitReader) -> CommitLog.Segment {
        CommitLog.Segment(
            number: reader.reader.header.segment, file: reader.reader.window.file,
            end: reader.goodEnd, syncedEnd: reader.goodEnd)
    }

    /// What is on the disk now of the log, every link with its end; with the turn.
    func chainOfAll() throws(BackendError) -> SegmentChain {
        guard isFollower else { return try SegmentChain(ofAllIn: commitLog) }
        return try DirectoryChanges(files: files, paths: commitLog.paths)
            .repeating { () throws(BackendError) in try SegmentChain(ofAllIn: commitLog) }
    }

    // MARK: Taking up a commit

    /// Takes up the next commit. `false`: there is none.
    private func take(_ reader: CommitReader) throws(BackendError) -> Bool {
        while let item = try reader.next() {
            guard case .commit(let commit) = item else { continue }
            try take(commit, place(of: reader), reader.reader)
            return true
        }
        return false
    }

    private func take(
        _ commit: CommitReader.Commit, _ place: CommitLog.Segment, _ segment: SegmentReader
    ) throws(BackendError) {
        let batch = WriteBatch()
        var frames: [StagedFrame] = []
        for offset in commit.chunks {
            let (frame, tables) = try append(offset, of: segment, to: batch)
            frames.append(
                StagedFrame(offset: offset, size: frame.header.frameSize, tables: tables))
            batch.startNextChunk()
        }
        _ = try append(commit.header.offset, of: segment, to: batch)
        let plan = try lock.writing { () throws(BackendError) in try planViews(for: batch) }
        staged = frames
        stagedTables = frames.reduce(into: []) { $0.formUnion($1.tables) }
        defer { forgetStaged() }
        commitLog.follow(commit.number, of: commitLog.store, in: place)
        let ready = ReadyCommit(batch: batch, plan: plan)
        lock.writing { apply(ready, commit.number, ahead: Forerunner.Result()) }
        subscribers.enqueue(commit.number)
    }

    /// Adds the operations of a frame to a batch. Returns the tables that they change.
    private func append(
        _ offset: UInt64, of segment: SegmentReader, to batch: WriteBatch
    ) throws(BackendError) -> (SegmentReader.Frame, Set<TableNumber>) {
        guard let frame = try segment.frame(at: offset),
            let tables = batch.append(operations: frame.body)
        else { throw .corrupt(path: segment.path, offset: offset) }
        return (frame, tables)
    }

    // MARK: Beginning again

    /// Makes all views anew, in another directory: those that were read beside the log belong to the
    /// writer now, or commits between the last one taken up and the snapshot are gone. Until all are
    /// there, reads are served from the old ones.
    private func startAnew() throws(BackendError) {
        log(.notice, "Reading \(location) anew, as another process has gone on writing it.")
        let opened = try FollowerOpening(
            Opening(
                files: files, paths: commitLog.paths, durability: durability, access: access,
                log: log), after: commitLog.lastCommit
        ).open()
        let found = opened.commitLog
        let lines = try opened.tables[0].map { table throws(BackendError) in
            try CatalogReader(table).lines()
        }
        let position = try position(of: commitLog.lastCommit)
        guard position.line == 0 || position.holds(in: lines ?? [], upTo: found.lastCommit) else {
            throw .replaced(path: location)
        }
        lock.writing {
            window.giveUpAll()
            commitLog.follow(found.lastCommit, of: found.store, in: found.current)
            byNumber = opened.tables
            highestTable = opened.highestTable
            lastVisible = found.lastCommit
            counters.withLock { $0 = Counters(of: opened, tableLimit: tableLimit) }
            if let views = opened.copies { paths = StorePaths(root: views.directory) }
            copies = opened.copies
            temporary = nil
        }
        storeLocks = []
        subscribers.enqueue(found.lastCommit)
    }
}
