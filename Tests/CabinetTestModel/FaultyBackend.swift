import CabinetBackend
import CabinetMemory
import Foundation

/// A memory backend that fails as its orders say. `Sendable`, as a lock guards its orders.
final class FaultyBackend: Backend {
    struct Orders {
        var commitFails = false
        var stagingFails = false
        /// Whether commits wait until this is `false`.
        var commitsWait = false
        var readsFail = false
        /// Of an engine that keeps stores apart.
        var feedFails = false
        var snapshotsFail = false
        /// What happens once, when the next snapshot was made, before the caller has it.
        var afterSnapshot: (@Sendable () -> Void)?
        /// What happens once, before the next commit is made.
        var beforeCommit: (@Sendable () -> Void)?
        /// How many runs of records may still be read; `nil` for no limit.
        var runsLeft: Int?
        /// How often records were looked up, many at once or one.
        var lookUps = 0
        /// How many keys each count of a range was to stop at.
        var countLimits: [Int] = []
        /// A row whose record is damaged.
        var damagedRow: RowID?
        /// How many rows are left in every table; `nil` for no limit.
        var rowsLeft: UInt32?
        /// Whether the answer to the next commit is lost, once it was made (`true`) or given up.
        var losesAnswer: Bool?
        /// What the feed says of when commits were made, in microseconds since 1970.
        var times: [CommitNumber: UInt64] = [:]
        /// Whether nothing can be found out of such commits.
        var isCutOff = false
        var outcomes: [UInt64: CommitOutcome] = [:]
        /// How many commits may still succeed; `nil` for no limit.
        var commitsLeft: Int?
        /// Batches that were made and neither committed nor given up.
        var unended: Set<ObjectIdentifier> = []
        /// Batches that were given up, or whose commit has failed.
        var spent: Set<ObjectIdentifier> = []
        /// How many ends such batches came to all the same.
        var endedTwice = 0

        mutating func end(_ batch: WriteBatch, isSpent: Bool) {
            let identity = ObjectIdentifier(batch)
            if spent.contains(identity) { endedTwice += 1 }
            unended.remove(identity)
            if isSpent { spent.insert(identity) }
        }
    }

    static let failure = BackendError.diskFull(path: "faulty", needed: 42)

    let inner: MemoryBackend
    let features: BackendFeatures
    let hasOtherWriters: Bool
    private let orders = Guarded(Orders())

    /// - Parameters:
    ///   - isolatesCommits: whether stores over it read as of one commit.
    ///   - hasOtherWriters: whether commits are made to `inner` as well.
    init(
        _ inner: MemoryBackend = MemoryBackend(), isolatesCommits: Bool = false,
        hasOtherWriters: Bool = false
    ) {
        self.inner = inner
        self.hasOtherWriters = hasOtherWriters
        features = isolatesCommits ? inner.features : []
    }

    func snapshot(label: String) throws(BackendError) -> any BackendReader {
        try failIf(\.snapshotsFail)
        let made = try inner.snapshot(label: label)
        orders.withLock { $0.afterSnapshot.take() }?()
        return made
    }

    func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        try failIf(\.feedFails)
        let times = orders.withLock { $0.times }
        let cursor = try inner.changes(after: number)
        return times.isEmpty ? cursor : RedatedCursor(cursor, times)
    }

    func lines() throws(BackendError) -> [CommitLine] {
        try failIf(\.feedFails)
        return try inner.lines()
    }

    func claimWork(_ name: String) throws(BackendError) -> WorkClaim? {
        try inner.claimWork(name)
    }

    @discardableResult
    func order<Value: Sendable>(_ body: (inout Orders) -> Value) -> Value {
        orders.withLock(body)
    }

    private func failIf(_ fails: (Orders) -> Bool) throws(BackendError) {
        if orders.withLock({ fails($0) }) { throw Self.failure }
    }

    var access: Access { inner.access }
    var location: String { "faulty" }
    var identity: UInt64 { inner.identity }
    func lastCommit() throws(BackendError) -> CommitNumber { try inner.lastCommit() }
    func tables() throws(BackendError) -> [TableDefinition] { try inner.tables() }
    func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try inner.claim(wanted)
    }

    func onCommit(
        _ body: @escaping @Sendable (CommitNumber) -> Void
    ) -> Subscription { inner.onCommit(body) }

    func reserveTable() throws(BackendError) -> TableNumber { try inner.reserveTable() }

    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        let isLeft = orders.withLock { orders in
            guard let left = orders.rowsLeft else { return true }
            guard count <= left else { return false }
            orders.rowsLeft = left - count
            return true
        }
        guard isLeft else { throw .rowsExhausted(table) }
        return try inner.reserveRows(count, in: table)
    }

    func count(of table: TableNumber) throws(BackendError) -> Int { try inner.count(of: table) }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        orders.withLock { $0.countLimits.append(limit) }
        return try inner.count(of: range, in: table, upTo: limit)
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try lookUp([row])
        return try inner.value(of: row, in: table, into: buffer)
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try lookUp(rows)
        return try inner.values(of: rows, in: table, into: run)
    }

    private func lookUp(_ rows: ArraySlice<RowID>) throws(BackendError) {
        try failIf(\.readsFail)
        let isDamaged = orders.withLock { orders in
            orders.lookUps += 1
            return orders.damagedRow.map(rows.contains) ?? false
        }
        if isDamaged { throw .corrupt(path: "faulty", offset: 7) }
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try failIf(\.readsFail)
        return try inner.value(forKey: key, in: table, into: buffer)
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try failIf(\.readsFail)
        return FaultyRecordCursor(self, try inner.records(in: table))
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try failIf(\.readsFail)
        return try inner.entries(in: table, range: range, descending: descending)
    }

    func makeBatch() -> WriteBatch {
        orders.withLock { orders in
            let batch =
                orders.stagingFails ? WriteBatch(sink: FailingSink()) : inner.makeBatch()
            orders.unended.insert(ObjectIdentifier(batch))
            orders.spent.remove(ObjectIdentifier(batch))
            return batch
        }
    }

    func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        while orders.withLock({ $0.commitsWait }) { usleep(100) }
        orders.withLock { $0.beforeCommit.take() }?()
        let mayCommit = orders.withLock { orders in
            let mayCommit = !orders.commitFails && orders.commitsLeft != 0
            orders.end(batch, isSpent: !mayCommit)
            guard mayCommit else { return false }
            orders.commitsLeft? -= 1
            return true
        }
        guard mayCommit else { throw Self.failure }
        guard let isMade = orders.withLock({ $0.losesAnswer.take() }) else {
            return try inner.commit(batch)
        }
        var outcome = CommitOutcome.notCommitted
        if isMade { outcome = .committed(try inner.commit(batch)) } else { inner.discard(batch) }
        let token = orders.withLock { orders in
            let token = UInt64(orders.outcomes.count) + 100
            orders.outcomes[token] = outcome
            return token
        }
        throw .outcomeUnknown(token: token)
    }

    func outcome(of token: UInt64) throws(BackendError) -> CommitOutcome {
        let found = orders.withLock { $0.isCutOff ? nil : $0.outcomes[token] }
        guard let found else { throw .outcomeUnknown(token: token) }
        return found
    }

    func discard(_ batch: WriteBatch) {
        orders.withLock { $0.end(batch, isSpent: true) }
        inner.discard(batch)
    }

    fileprivate func readRun() throws(BackendError) {
        let isLeft = orders.withLock { orders in
            guard let left = orders.runsLeft else { return true }
            orders.runsLeft = max(left - 1, 0)
            return left > 0
        }
        if !isLeft { throw Self.failure }
    }

    func sync() throws(BackendError) { try inner.sync() }
    func close() throws(BackendError) { try inner.close() }
}

private final class FaultyRecordCursor: RecordCursor {
    private let owner: FaultyBackend
    private let inner: any RecordCursor

    init(_ owner: FaultyBackend, _ inner: any RecordCursor) {
        self.owner = owner
        self.inner = inner
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        try owner.readRun()
        return try inner.next(run)
    }
}

private final class FailingSink: ChunkSink {
    func stage(_ batch: WriteBatch) throws(BackendError) { throw FaultyBackend.failure }
}

/// Commits with other times.
private final class RedatedCursor: ChangeCursor {
    private let cursor: any ChangeCursor
    private let times: [CommitNumber: UInt64]

    init(_ cursor: any ChangeCursor, _ times: [CommitNumber: UInt64]) {
        (self.cursor, self.times) = (cursor, times)
    }

    func next() throws(BackendError) -> CommittedChanges? {
        guard let commit = try cursor.next() else { return nil }
        return CommittedChanges(
            number: commit.number, time: times[commit.number] ?? commit.time,
            author: commit.author, operations: commit.operations ?? [])
    }
}
