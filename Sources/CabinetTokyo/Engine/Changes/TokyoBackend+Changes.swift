import CLibrary
import CabinetBackend

extension TokyoBackend {
    /// Walks the commits behind `number` that have been made so far. A walk that goes on where one of the
    /// latest ended begins there; any other reads the headers of the frames before it in one segment, of
    /// up to 64 MiB, or those behind the nearest such end.
    ///
    /// Waits while another thread has a batch half written.
    ///
    /// - Throws: ``BackendError/changesGone(oldest:)`` if a compaction has removed the segment of a
    ///   commit behind `number`, or if the store has no commit of that number;
    ///   ``BackendError/batchInProgress`` if this thread has a batch half written.
    package func logChanges(after number: CommitNumber) throws(BackendError) -> LogChanges {
        try withLinks(after: number) { links, end, names in
            LogChanges(self, links, after: number, upTo: end, names)
        }
    }

    /// Calls `body` with the segments behind a commit, the last commit, and where another process may change the
    /// log, the names of its files; with the turn.
    func withLinks<Result>(
        after number: CommitNumber,
        _ body: (ArraySlice<SegmentChain.Link>, CommitNumber, _ names: [String]) -> Result
    ) throws(BackendError) -> Result {
        try checkProcess()
        let owner = Walker()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        try lock.reading { () throws(BackendError) in try checkOpen() }
        let end = commitLog.lastCommit
        guard number != end else { return body([], end, []) }
        let names = try namesInLog()
        let links = readable(try chainOfAll())
        let oldest = links.first.map { $0.header.firstCommit.previous } ?? end
        guard number >= oldest, number < end else { throw .changesGone(oldest: oldest) }
        let first = links.lastIndex { $0.header.firstCommit.previous <= number } ?? 0
        return body(links[first...], end, names)
    }

    /// The names of the log's files, if another process may change them.
    func namesInLog() throws(BackendError) -> [String] {
        guard isFollower else { return [] }
        return try DirectoryChanges(files: files, paths: commitLog.paths).names()
    }

    /// Opens a segment for a walk. Another process that writes the store knows of no walk here.
    func open(
        _ link: SegmentChain.Link, after number: CommitNumber
    ) throws(BackendError) -> SegmentReader {
        do throws(BackendError) {
            return try SegmentReader(
                files: files, path: link.path, number: link.number, store: commitLog.store,
                limit: link.limit)
        } catch {
            guard isFollower, case .system(_, _, ENOENT) = error else { throw error }
            throw .changesGone(oldest: number.next)
        }
    }

    /// Stands for a caller that takes the turn for a moment.
    private final class Walker {}

    /// Gives up a walk's hold of segments, and removes those that nothing needs any more.
    func letGo(of segments: [UInt64]) {
        // In a forked process the segments are the parent's.
        guard process.isCurrent else { return }
        let unused = pins.release(segments)
        guard !unused.isEmpty else { return }
        lock.reading {
            // After closing, the next opening removes what is left over.
            guard !isClosed else { return }
            for segment in unused { try? files.remove(paths.segment(segment)) }
        }
    }

    /// Removes a file that a snapshot has replaced, unless a walk has still to read it.
    func removeReplaced(_ path: String) throws(BackendError) {
        let name = String(
            decoding: path.utf8.dropFirst(paths.log.utf8.count + 1), as: UTF8.self)
        if let segment = StorePaths.number(in: name, after: "log-"), pins.keepsReplaced(segment) {
            return
        }
        try files.remove(path)
    }
}
