import CabinetBackend

/// Follows the log: where one walk over it ends, the next begins.
final class LogChangeCursor: ChangeCursor {
    private let backend: TokyoBackend
    private var walk: LogChanges
    private var last: CommitNumber

    init(_ backend: TokyoBackend, _ walk: LogChanges, after number: CommitNumber) {
        self.backend = backend
        self.walk = walk
        last = number
    }

    func next() throws(BackendError) -> CommittedChanges? {
        if let commit = try walk.next() { return try changes(of: commit) }
        walk = try backend.logChanges(after: last)
        guard let commit = try walk.next() else { return nil }
        return try changes(of: commit)
    }

    private func changes(of commit: LoggedCommit) throws(BackendError) -> CommittedChanges {
        let changes = CommittedChanges(
            number: commit.number, time: commit.time, author: commit.author,
            operations: try commit.operations())
        last = commit.number
        return changes
    }
}

extension TokyoBackend {
    public var features: BackendFeatures { .changes }

    public func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        LogChangeCursor(self, try logChanges(after: number), after: number)
    }
}
