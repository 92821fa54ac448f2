import CabinetBackend

/// Follows the log: where one walk over it ends, the next begins.
final class LogChangeCursor: ChangeCursor {
    private let backend: TokyoBackend
    /// `nil` after an error: the next call begins again behind the last commit that was returned.
    private var walk: LogChanges?
    private var last: CommitNumber

    init(_ backend: TokyoBackend, _ walk: LogChanges, after number: CommitNumber) {
        self.backend = backend
        self.walk = walk
        last = number
    }

    func next() throws(BackendError) -> CommittedChanges? {
        // The walk may be at its end; a new one then has what came since.
        for _ in 0..<2 {
            let walk: LogChanges
            if let current = self.walk {
                walk = current
            } else {
                walk = try backend.logChanges(after: last)
            }
            self.walk = nil
            guard let commit = try walk.next() else { continue }
            let changes = CommittedChanges(
                number: commit.number, time: commit.time, author: commit.author,
                operations: try commit.operations())
            last = commit.number
            self.walk = walk
            return changes
        }
        return nil
    }
}

extension TokyoBackend {
    public var features: BackendFeatures { .all }

    public func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        LogChangeCursor(self, try logChanges(after: number), after: number)
    }
}
