import CabinetBackend

/// A frozen reader with the backend's fault.
final class FaultyReader: BackendReader {
    private let owner: RuleBreakingBackend
    private let frozen: any BackendReader
    /// What is asked.
    private var inner: any BackendReader { owner.fault == .thaws ? owner.inner : frozen }
    private var walked: any BackendReader { owner.fault == .thawsWalks ? owner.inner : inner }

    init(_ owner: RuleBreakingBackend, _ frozen: any BackendReader) {
        self.owner = owner
        self.frozen = frozen
    }

    var identity: UInt64 { owner.identity }

    func lastCommit() throws(BackendError) -> CommitNumber {
        try owner.check()
        return try frozen.lastCommit()
    }

    func tables() throws(BackendError) -> [TableDefinition] {
        try owner.check()
        return try inner.tables()
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        try owner.check()
        return try inner.count(of: table)
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        try owner.check()
        return try inner.count(of: range, in: table)
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try owner.check()
        return try inner.value(of: row, in: table, into: buffer)
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try owner.check()
        return try inner.values(of: rows, in: table, into: run)
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try owner.check()
        return try inner.value(forKey: key, in: table, into: buffer)
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try owner.check()
        return FaultyRecordCursor(owner, table, try walked.records(in: table))
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try owner.check()
        return FaultyEntryCursor(
            owner, try walked.entries(in: table, range: range, descending: descending))
    }
}

/// A walk over commits with the backend's fault.
final class FaultyChangeCursor: ChangeCursor {
    private let owner: RuleBreakingBackend
    private var inner: any ChangeCursor
    private var isOver = false

    init(_ owner: RuleBreakingBackend, _ inner: any ChangeCursor) {
        self.owner = owner
        self.inner = inner
    }

    func next() throws(BackendError) -> CommittedChanges? {
        try owner.check()
        if isOver { return nil }
        let commit: CommittedChanges?
        do {
            commit = try inner.next()
        } catch {
            guard case .changesGone(let oldest) = error, owner.fault == .feedSkips else {
                throw error
            }
            inner = try owner.inner.changes(after: oldest)
            commit = try inner.next()
        }
        guard let commit else {
            isOver = owner.fault == .endsFeed
            return nil
        }
        if owner.fault == .tellsOwnCommits,
            !owner.own.withLock({ $0.commits.contains(commit.number) })
        {
            return try next()
        }
        return owner.fault == .losesFeedDeletes ? try Self.withoutDeletes(commit) : commit
    }

    private static func withoutDeletes(
        _ commit: CommittedChanges
    ) throws(BackendError) -> CommittedChanges {
        let batch = WriteBatch()
        for note in try commit.notes { try Change.note(note.tag, note.bytes).write(to: batch) }
        try commit.forEachOperation { operation throws(BackendError) in
            if case .deleteRow = operation { return }
            try Change(operation).write(to: batch)
        }
        return CommittedChanges(
            number: commit.number, time: commit.time, author: commit.author,
            operations: Array(batch.chunk()[WriteBatch.headroom...]))
    }
}
