import CabinetBackend

/// Follows the commits of a store: where one look ends, the next begins. What memory has of the
/// latest commits comes from there, all others from the log.
final class LogChangeCursor: ChangeCursor {
    private let backend: TokyoBackend
    /// What memory had of the commits that come next.
    private var recent: ArraySlice<CommittedChanges>
    /// `nil` after an error: the next call begins again behind the last commit that was returned.
    private var walk: LogChanges?
    private var last: CommitNumber

    init(_ backend: TokyoBackend, after number: CommitNumber) throws(BackendError) {
        self.backend = backend
        last = number
        recent = []
        backend.feedReaders.add(1, ordering: .relaxed)
        if let recent = try backend.recentChanges(after: number) {
            self.recent = recent
        } else {
            walk = try backend.logChanges(after: number)
        }
    }

    deinit { backend.feedReaders.subtract(1, ordering: .relaxed) }

    func next() throws(BackendError) -> CommittedChanges? {
        if let next = recent.first {
            try backend.checkProcess()
            if backend.hasClosed.load(ordering: .acquiring) { throw .closed }
            recent.removeFirst()
            last = next.number
            return next
        }
        // The walk may be at its end; a new one then has what came since.
        for _ in 0..<2 {
            let walk: LogChanges
            if let current = self.walk {
                walk = current
            } else if let found = try backend.recentChanges(after: last) {
                recent = found
                guard let next = recent.popFirst() else { return nil }
                last = next.number
                return next
            } else {
                walk = try backend.logChanges(after: last)
            }
            self.walk = nil
            guard let commit = try walk.next() else { continue }
            let changes = try commit.changes()
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
        try LogChangeCursor(self, after: number)
    }

    /// The commits behind `number` that reads see, if memory has all of them; `nil`: the log has.
    func recentChanges(
        after number: CommitNumber
    ) throws(BackendError) -> ArraySlice<CommittedChanges>? {
        try checkProcess()
        return try lock.reading { () throws(BackendError) in
            try checkOpen()
            if number == lastVisible { return [] }
            guard recent.newest == lastVisible else { return nil }
            return recent.all(after: number)?[...]
        }
    }
}
