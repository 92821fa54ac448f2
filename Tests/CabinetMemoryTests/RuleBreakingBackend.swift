import CabinetBackend
import CabinetMemory

/// A memory backend behind a front that does one thing wrong, or, without a fault, nothing.
///
/// What it holds outlives closing, so that reopening can be tested as well.
final class RuleBreakingBackend: Backend {
    /// What stays when a front is closed.
    final class Shelf: Sendable {
        let inner: MemoryBackend
        let state = Guarded(State())

        init() { inner = MemoryBackend() }
    }

    struct State: Sendable {
        var names: [TableNumber: TableDefinition] = [:]
        var deleted: Set<RowID> = []
        var changed: [RowID] = []
        var delayed: [Change] = []
        var nextTable: TableNumber = 2
        var walked: RowID = 0
        var passed: [UInt8]?
        var wasRefused = false
        var open = 0
        var emptyCommits = 0
        var reader: FaultyReader?
        var claimed: [String: TableDefinition] = [:]
        var losesAnswer: Bool?
        var outcomes: [UInt64: CommitOutcome] = [:]
    }

    /// What is a front's own.
    struct Own: Sendable {
        var isClosed = false
        var commits: Set<CommitNumber> = []
        var nextRow: UInt32 = RowID.first.rawValue
        var works: [WorkClaim] = []
    }

    let own = Guarded(Own())
    let fault: Fault?
    let access: Access
    let location = "faulty"
    let shelf: Shelf
    /// Of this front, for a fault.
    let ownNumber = UInt64.random(in: 1...UInt64.max)
    var identity: UInt64 {
        switch fault {
        case .sharesIdentity: 1
        case .changesIdentity: ownNumber
        case .lacksIdentity: 0
        default: inner.identity
        }
    }
    var inner: MemoryBackend { shelf.inner }
    /// Memory that is lent out and overwritten by the next commit.
    nonisolated(unsafe) let lent = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 16, alignment: 8)
    /// Batches that were begun, kept for faults alone that single-threaded rules catch.
    nonisolated(unsafe) var unfinished: [WriteBatch] = []
    /// For faults of subscriptions.
    let announced = CommitSubscribers()
    let bodies = Guarded<[@Sendable (CommitNumber) -> Void]>([])
    let endless = Guarded<[Subscription]>([])
    private var keepsUnfinished: Bool { fault == .showsUnfinished || fault == .oneBatchAtATime }

    init(_ fault: Fault?, _ shelf: Shelf, _ access: Access) {
        self.fault = fault
        self.shelf = shelf
        self.access = access
    }

    deinit { lent.deallocate() }

    func check() throws(BackendError) {
        if own.withLock({ $0.isClosed }) { throw .closed }
    }

    private func checkWritable() throws(BackendError) {
        try check()
        if access == .readOnly { throw .readOnly(path: location) }
    }

    func close() throws(BackendError) {
        if fault == .closesOnce { try check() }
        if keepsUnfinished { unfinished = [] }
        if fault != .ignoresClosing { own.withLock { $0.isClosed = true } }
        let works = own.withLock { $0.works }
        if fault != .keepsWorkToTheEnd { for work in works { work.end() } }
    }

    func sync() throws(BackendError) {
        try check()
        if fault == .syncNeedsQuiet, shelf.state.withLock({ $0.open > 0 }) {
            throw .batchInProgress
        }
    }

    // MARK: Tables and numbers

    func tables() throws(BackendError) -> [TableDefinition] {
        try check()
        let tables = try inner.tables()
        return switch fault {
        case .listsBackwards: tables.reversed()
        case .acceptsAnyName:
            shelf.state.withLock { state in tables.compactMap { state.names[$0.number] } }
        default: tables
        }
    }

    func reserveTable() throws(BackendError) -> TableNumber {
        try checkWritable()
        switch fault {
        case .reusesTables: return .firstFree
        case .countsTablesItself:
            return shelf.state.withLock { state in
                defer { state.nextTable = state.nextTable.next }
                return state.nextTable
            }
        default: return try inner.reserveTable()
        }
    }

    func highestRow(of table: TableNumber) throws(BackendError) -> RowID {
        fault == .forgetsHighest ? .none : try inner.highestRow(of: table)
    }

    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        try checkWritable()
        switch fault {
        case .givesOutForItself:
            return own.withLock { own in
                let first = own.nextRow
                own.nextRow &+= count
                return RowID(first)...RowID(first &+ count &- 1)
            }
        case .reusesRows: return 2...max(2, RowID(1 &+ count))
        case .rowsBeginAtOne:
            let rows = try inner.reserveRows(count, in: table)
            return rows.lowerBound.previous...rows.upperBound.previous
        default: return try inner.reserveRows(count, in: table)
        }
    }

    // MARK: Reading

    private func checkRead(_ table: TableNumber) throws(BackendError) {
        try check()
        if fault == .throwsForUnknown, table > 1,
            try !inner.tables().contains(where: { $0.number == table })
        {
            throw .noTable(table)
        }
        if fault == .showsUnfinished {
            for batch in unfinished { try apply(Collector.changes(of: batch)) }
        }
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        try checkRead(table)
        return try inner.count(of: mixed(table))
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try checkRead(table)
        let found = DataBuffer()
        let isThere = try inner.value(of: row, in: mixed(table), into: found)
        return give(found, isThere, to: buffer)
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try checkRead(table)
        let found = DataBuffer()
        let isThere = try inner.value(forKey: key, in: mixed(table), into: found)
        return give(found, isThere, to: buffer)
    }

    private func give(_ found: DataBuffer, _ isThere: Bool, to buffer: DataBuffer) -> Bool {
        if !isThere && fault == .leavesBuffer { return false }
        if fault != .appendsToBuffer { buffer.removeAll() }
        found.withUnsafeBytes { bytes in
            if fault == .lendsMemory, bytes.count <= lent.count {
                lent.copyMemory(from: bytes)
                buffer.borrow(UnsafeRawBufferPointer(rebasing: lent[..<bytes.count]))
            } else {
                buffer.writeRawBytes(bytes)
            }
        }
        return isThere
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try checkRead(table)
        shelf.state.withLock { $0.changed = [] }
        return FaultyRecordCursor(self, mixed(table), try inner.records(in: mixed(table)))
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try checkRead(table)
        return try FaultyEntryCursor(self, mixed(table), range, descending)
    }

    /// One table for all of a kind, where that is the fault.
    func mixed(_ table: TableNumber) -> TableNumber {
        guard fault == .mixesTables else { return table }
        return table < 2 ? 1 : 2
    }

    // MARK: Saving

    func makeBatch() -> WriteBatch {
        if fault == .oneBatchAtATime, let batch = unfinished.last { return batch }
        let batch = WriteBatch(sink: Collector(self))
        if keepsUnfinished { unfinished.append(batch) }
        shelf.state.withLock { $0.open += 1 }
        return batch
    }

    private func finish(_ batch: WriteBatch) {
        if keepsUnfinished { unfinished.removeAll { $0 === batch } }
        (batch.sink as? Collector)?.finish()
        shelf.state.withLock { $0.open -= 1 }
    }

    func discard(_ batch: WriteBatch) {
        defer { finish(batch) }
        if fault == .commitsDiscarded { _ = try? apply(Collector.changes(of: batch)) }
    }

    func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        defer { finish(batch) }
        try check()
        if batch.isEmpty, !batch.hasDemands || fault == .skipsEmptyDemands {
            let extra = shelf.state.withLock { state in
                if fault == .countsEmptyBatches { state.emptyCommits += 1 }
                return state.emptyCommits
            }
            return try inner.commit(inner.makeBatch()).advanced(by: extra)
        }
        try checkWritable()
        if fault == .givesUpAfterRefusal, shelf.state.withLock({ $0.wasRefused }) {
            throw .logUnusable(path: location)
        }
        if let isMade = shelf.state.withLock({ $0.losesAnswer.take() }) {
            throw try loseAnswer(to: batch, isMade: isMade)
        }
        if fault == .announcesEarly {
            announced.enqueue(try inner.lastCommit().next)
            announced.deliver()
        }
        do {
            let number = try apply(Collector.changes(of: batch), of: batch)
            own.withLock { _ = $0.commits.insert(number) }
            if fault == .announcesNested { for body in bodies.withLock({ $0 }) { body(number) } }
            return fault == .constantNumber ? 1 : number
        } catch {
            shelf.state.withLock { $0.wasRefused = true }
            throw error
        }
    }

    @discardableResult
    func apply(
        _ changes: [Change], of batch: WriteBatch? = nil
    ) throws(BackendError) -> CommitNumber {
        lent.initializeMemory(as: UInt8.self, repeating: 0xEE)
        let rewritten = try rewrite(changes)
        if fault == .appliesOneByOne {
            var number: CommitNumber = 0
            for change in rewritten { number = try applyTogether([change]) }
            return number
        }
        return try applyTogether(rewritten, of: batch)
    }

    private func applyTogether(
        _ changes: [Change], of original: WriteBatch? = nil
    ) throws(BackendError) -> CommitNumber {
        let batch = inner.makeBatch()
        for change in changes { try change.write(to: batch) }
        guard let original else { return try inner.commit(batch) }
        batch.author = original.author
        return try commit(batch, withDemandsOf: original)
    }
}
