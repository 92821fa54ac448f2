import CabinetBackend

/// A walk over the commits behind one, oldest first, up to the last one there was when it began.
///
/// Saves, reads and compaction go on beside it: the segments that it has still to read stay where
/// they are. It needs memory for the largest frame. Not `Sendable`: it belongs to one thread.
package final class LogChanges {
    /// Where a walk stands: behind a commit, in a segment.
    struct Position: Hashable, Sendable {
        var number: CommitNumber
        var segment: UInt64
        var offset: UInt64
    }

    private let backend: TokyoBackend
    /// The last commit that the walk returns.
    private let end: CommitNumber
    /// The segments to come, each with its end.
    private var links: ArraySlice<SegmentChain.Link>
    /// The segment that is being read.
    private var current: (number: UInt64, reader: CommitReader)?
    /// The last commit that was returned.
    private var last: CommitNumber
    /// The names of the log's files before `links` were found, where another process may change them.
    private var names: [String]

    /// The caller has the writer's turn, so that no segment goes before it is held.
    init(
        _ backend: TokyoBackend, _ links: ArraySlice<SegmentChain.Link>, after number: CommitNumber,
        upTo end: CommitNumber, _ names: [String]
    ) {
        self.backend = backend
        self.links = links
        self.end = end
        self.names = names
        last = number
        backend.pins.hold(links.map(\.number))
    }

    deinit {
        noteEnd()
        backend.letGo(of: links.map(\.number) + (current.map { [$0.number] } ?? []))
    }

    /// A later walk mostly goes on where one has ended.
    private func noteEnd() {
        guard let reader = current?.reader, reader.lastCommit == last else { return }
        let position = Position(
            number: last, segment: reader.reader.header.segment, offset: reader.goodEnd)
        backend.walkEnds.withLock { $0.note(position) }
    }

    /// The next commit; `nil` at the end. What was given before is not valid any more.
    ///
    /// - Throws: ``BackendError/closed`` once the store is closed, ``BackendError/forked(path:)``,
    ///   ``BackendError/corrupt(path:offset:)`` and what reading a file may throw. Calling it again
    ///   goes on where it stopped.
    package func next() throws(BackendError) -> LoggedCommit? {
        try backend.checkProcess()
        try backend.lock.reading { () throws(BackendError) in try backend.checkOpen() }
        while last < end {
            do throws(BackendError) {
                if let commit = try nextInSegment() { return commit }
            } catch {
                try beginAnew(after: error)
            }
        }
        return nil
    }

    /// The next commit in the present segment, or the one that is opened; `nil` at its end.
    private func nextInSegment() throws(BackendError) -> LoggedCommit? {
        guard let (number, reader) = try openSegment() else {
            throw .corrupt(path: backend.commitLog.paths.log, offset: 0)
        }
        if let commit = try nextCommit(of: reader) { return commit }
        current = nil
        backend.letGo(of: [number])
        return nil
    }

    /// Goes on with the segments that there are now: a writer that begins after another was killed moves the last
    /// commits into a segment of its own, and cuts the one that had them.
    /// - Throws: `error`, if no other process has changed the log meanwhile.
    private func beginAnew(after error: BackendError) throws(BackendError) {
        guard try backend.namesInLog() != names else { throw backend.cause(of: error) }
        let former = links.map(\.number) + (current.map { [$0.number] } ?? [])
        current = nil
        try backend.withLinks(after: last) { found, _, names in
            (links, self.names) = (found, names)
            backend.pins.hold(found.map(\.number))
        }
        backend.letGo(of: former)
    }

    /// The segment that holds the next commit; `nil` if there is none any more.
    private func openSegment() throws(BackendError) -> (number: UInt64, reader: CommitReader)? {
        if let current { return current }
        guard let link = links.first else { return nil }
        let segment = try backend.open(link, after: last)
        let start = backend.walkEnds.withLock { $0.nearest(to: last, in: link.number) }
        let opened =
            if let start, start.offset <= segment.limit {
                CommitReader(segment, at: start.offset, after: start.number)
            } else {
                CommitReader(segment)
            }
        guard try opened.pass(upTo: last) else {
            throw .corrupt(path: link.path, offset: opened.offset)
        }
        links.removeFirst()
        current = (link.number, opened)
        return current
    }

    /// The next commit in the segment; `nil` at its end.
    private func nextCommit(of reader: CommitReader) throws(BackendError) -> LoggedCommit? {
        while let item = try reader.next() {
            guard case .commit(let commit) = item else { continue }
            guard commit.number.previous == last else {
                throw .corrupt(path: reader.reader.path, offset: commit.start)
            }
            let told = try LoggedCommit(commit)
            last = commit.number
            if last == end { noteEnd() }
            return told
        }
        guard reader.isAtLimit else {
            throw .corrupt(path: reader.reader.path, offset: reader.offset)
        }
        return nil
    }
}

/// Where the latest walks over the log have ended. `Sendable`: a value.
struct WalkEnds: Sendable {
    private var positions: [LogChanges.Position] = []

    private static let limit = 8

    mutating func note(_ position: LogChanges.Position) {
        positions.removeAll { $0 == position }
        if positions.count == Self.limit { positions.removeFirst() }
        positions.append(position)
    }

    /// The last one in a segment that is not behind a commit.
    func nearest(to number: CommitNumber, in segment: UInt64) -> LogChanges.Position? {
        positions.filter { $0.segment == segment && $0.number <= number }
            .max { $0.number < $1.number }
    }
}
