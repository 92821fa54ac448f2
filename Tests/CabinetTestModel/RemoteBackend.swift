import CabinetBackend
import CabinetMemory

/// A memory backend that says it is remote, and counts what would be round trips: each call of a reader that asks
/// for something, and each step of a walk. Several over one memory backend are as in several processes: each
/// announces the commits of the others when it is refreshed. `Sendable`, as locks guard what changes.
final class RemoteBackend: Backend {
    let inner: MemoryBackend
    let trips = RoundTrips()
    private let seen: Guarded<CommitNumber>
    private let subscribers = CommitSubscribers()
    /// Why a refresh fails, once.
    let refreshFailure = Guarded<BackendError?>(nil)
    /// What the backend itself is asked as a reader.
    private let now: CountingReader

    init(_ inner: MemoryBackend = MemoryBackend()) {
        self.inner = inner
        now = CountingReader(inner, trips)
        seen = Guarded((try? inner.lastCommit()) ?? 0)
    }

    @discardableResult
    func refresh() throws(BackendError) -> CommitNumber {
        if let error = refreshFailure.withLock({ $0.take() }) { throw error }
        let last = try inner.lastCommit()
        seen.withLock { seen in
            while seen < last {
                seen = CommitNumber(seen.rawValue + 1)
                subscribers.enqueue(seen)
            }
        }
        subscribers.deliver()
        return last
    }

    var isRemote: Bool { true }
    var hasOtherWriters: Bool { true }
    var features: BackendFeatures { inner.features.subtracting(.ranks) }
    var access: Access { inner.access }
    var location: String { "remote" }
    var identity: UInt64 { inner.identity }

    func snapshot(label: String) throws(BackendError) -> any BackendReader {
        try refresh()
        return CountingReader(try inner.snapshot(label: label), trips)
    }

    func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        try inner.changes(after: number)
    }

    func lines() throws(BackendError) -> [CommitLine] { try inner.lines() }
    func claimWork(_ name: String) throws(BackendError) -> WorkClaim? { try inner.claimWork(name) }
    func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try inner.claim(wanted)
    }
    func onCommit(_ body: @escaping @Sendable (CommitNumber) -> Void) -> Subscription {
        subscribers.add(body)
    }
    func reserveTable() throws(BackendError) -> TableNumber { try inner.reserveTable() }
    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> { try inner.reserveRows(count, in: table) }
    func makeBatch() -> WriteBatch { inner.makeBatch() }
    func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        let number = try inner.commit(batch)
        try refresh()
        return number
    }
    func discard(_ batch: WriteBatch) { inner.discard(batch) }
    func sync() throws(BackendError) { try inner.sync() }
    func close() throws(BackendError) { try inner.close() }

    func lastCommit() throws(BackendError) -> CommitNumber { seen.withLock { $0 } }
    func tables() throws(BackendError) -> [TableDefinition] { try now.tables() }
    func count(of table: TableNumber) throws(BackendError) -> Int { try now.count(of: table) }
    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int { try now.count(of: range, in: table, upTo: limit) }
    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool { try now.value(of: row, in: table, into: buffer) }
    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int { try now.values(of: rows, in: table, into: run) }
    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool { try now.value(forKey: key, in: table, into: buffer) }
    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try now.records(in: table)
    }
    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try now.entries(in: table, range: range, descending: descending)
    }
}

/// What was asked over the network.
final class RoundTrips: Sendable {
    private let asked = Guarded<[String]>([])
    private let damaged = Guarded<RowID?>(nil)

    /// A row whose record cannot be read.
    var damagedRow: RowID? {
        get { damaged.withLock { $0 } }
        set { damaged.withLock { $0 = newValue } }
    }

    /// The names of the calls since the last time.
    func take() -> [String] {
        asked.withLock { asked in
            defer { asked = [] }
            return asked
        }
    }

    fileprivate func note(_ call: String) { asked.withLock { $0.append(call) } }

    fileprivate func note(_ call: String, _ rows: ArraySlice<RowID>) throws(BackendError) {
        note(call)
        if let row = damagedRow, rows.contains(row) { throw .corrupt(path: "remote", offset: 1) }
    }
}

/// A reader whose calls are counted.
private final class CountingReader: BackendReader {
    private let inner: any BackendReader
    private let trips: RoundTrips

    init(_ inner: any BackendReader, _ trips: RoundTrips) {
        (self.inner, self.trips) = (inner, trips)
    }

    var identity: UInt64 { inner.identity }
    func lastCommit() throws(BackendError) -> CommitNumber { try inner.lastCommit() }

    func tables() throws(BackendError) -> [TableDefinition] {
        trips.note("tables")
        return try inner.tables()
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        trips.note("count of a table")
        return try inner.count(of: table)
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        trips.note("count of a range")
        return try inner.count(of: range, in: table, upTo: limit)
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try trips.note("value", [row])
        return try inner.value(of: row, in: table, into: buffer)
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try trips.note("values", rows)
        return try inner.values(of: rows, in: table, into: run)
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        trips.note("value of a key")
        return try inner.value(forKey: key, in: table, into: buffer)
    }

    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        trips.note("values of keys")
        return try inner.values(forKeys: keys, in: table, into: run)
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        CountingRecords(try inner.records(in: table), trips)
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        CountingEntries(
            try inner.entries(in: table, range: range, descending: descending), trips)
    }
}

private final class CountingRecords: RecordCursor {
    private let inner: any RecordCursor
    private let trips: RoundTrips

    init(_ inner: any RecordCursor, _ trips: RoundTrips) {
        (self.inner, self.trips) = (inner, trips)
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        trips.note("records")
        return try inner.next(run)
    }
}

private final class CountingEntries: EntryCursor {
    private let inner: any EntryCursor
    private let trips: RoundTrips

    init(_ inner: any EntryCursor, _ trips: RoundTrips) {
        (self.inner, self.trips) = (inner, trips)
    }

    /// What came with fewer entries than were asked for was the end.
    private var isOver = false

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        if !isOver { trips.note("entries") }
        let isThere = try inner.next(run, limit: limit)
        isOver = !run.isFull && limit == .max
        return isThere
    }

    func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool {
        if !isOver { trips.note("rows of entries") }
        let isThere = try inner.next(run, limit: limit)
        isOver = run.rows.count < Swift.min(max(limit, 1), RowRun.fullCount)
        return isThere
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        isOver = false
        try inner.seek(key)
    }
}
