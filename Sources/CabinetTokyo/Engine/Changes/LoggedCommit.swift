import CabinetBackend

/// One commit as the log has it. Valid until the walk goes on.
package struct LoggedCommit {
    /// The notes, in the order in which they were made.
    package let notes: [LoggedNote]
    private let commit: CommitReader.Commit
    /// A reader of the feed gets the operations of a commit up to this many bytes as a whole: 2 MiB.
    static let mostAtOnce: UInt64 = 2 << 20

    init(_ commit: CommitReader.Commit) throws(BackendError) {
        self.commit = commit
        notes = try commit.notes()
    }

    package var number: CommitNumber { commit.number }
    /// Microseconds since 1970-01-01 00:00 UTC.
    package var time: UInt64 { commit.time }
    /// The author, as the caller numbers its authors; 0: none was given.
    package var author: UInt32 { commit.author }

    /// Calls `body` with every operation, in order: those on the catalog, and the notes, too.
    package func forEachOperation(
        _ body: (Operation) throws(BackendError) -> Void
    ) throws(BackendError) {
        try commit.forEachOperation(body)
    }

    /// The commit for a reader of the feed: a large one is read again where it lies, piece by piece.
    func changes() throws(BackendError) -> CommittedChanges {
        guard commit.size > Self.mostAtOnce else {
            return CommittedChanges(
                number: number, time: time, author: author, operations: try operations())
        }
        return CommittedChanges(
            number: number, time: time, author: author, size: Int(clamping: commit.size),
            pieces: commit.frames)
    }

    /// A copy of the operations as bytes, one after the other: those of all chunks, which take as
    /// much memory as the save has bytes.
    package func operations() throws(BackendError) -> [UInt8] {
        var bytes: [UInt8] = []
        try commit.forEachBody { body throws(BackendError) in bytes += body }
        return bytes
    }
}
