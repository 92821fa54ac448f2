import CabinetBackend

/// A backend whose reads are answered by frozen readers: each read takes a reader, then a commit
/// changes what it will read, the reader answers, and another commit takes the changes back. So
/// rules about reads become rules about frozen readers. For rules of one thread that do not look at
/// numbers that are given out.
final class FrozenReads: Backend {
    let inner: any Backend
    /// Tables that are defined and dropped get numbers from here on.
    private let nextTable = Guarded<TableNumber>(50_000)

    init(_ inner: any Backend) { self.inner = inner }

    var access: Access { inner.access }
    var location: String { inner.location }
    var identity: UInt64 { inner.identity }
    var limits: BackendLimits { inner.limits }
    var features: BackendFeatures { inner.features }

    // MARK: Reads

    /// Answers by a frozen reader, with changes that come after it.
    func reading<Result>(
        _ table: TableNumber, row: RowID? = nil, _ reader: (any BackendReader)? = nil,
        _ body: (any BackendReader) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        let frozen: any BackendReader
        if let reader { frozen = reader } else { frozen = try inner.snapshot() }
        let disturbance = try Disturbance(of: table, row, in: inner)
        try disturbance.make(in: inner)
        let result: Result
        do {
            result = try body(frozen)
        } catch {
            try disturbance.takeBack(in: inner)
            throw error
        }
        try disturbance.takeBack(in: inner)
        return result
    }

    func lastCommit() throws(BackendError) -> CommitNumber { try inner.lastCommit() }

    func tables() throws(BackendError) -> [TableDefinition] {
        let frozen = try inner.snapshot()
        let number = nextTable.withLock { number in
            number = number.next
            return number
        }
        let passing = TableDefinition(number: number, kind: .ordered, name: "Passing\(number)")
        try inner.commitAll { batch throws(BackendError) in try batch.define(passing) }
        let result = try frozen.tables()
        try inner.commitAll { batch throws(BackendError) in try batch.drop(number) }
        return result
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        try reading(table) { reader throws(BackendError) in try reader.count(of: table) }
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        try reading(table) { reader throws(BackendError) in
            try reader.count(of: range, in: table)
        }
    }

    func rank(
        of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) -> Int {
        try reading(table) { reader throws(BackendError) in try reader.rank(of: key, in: table) }
    }

    func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]? {
        try reading(table) { reader throws(BackendError) in
            try reader.key(at: offset, in: table)
        }
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try reading(table, row: row) { reader throws(BackendError) in
            try reader.value(of: row, in: table, into: buffer)
        }
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try reading(table) { reader throws(BackendError) in
            try reader.values(of: rows, in: table, into: run)
        }
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try reading(table) { reader throws(BackendError) in
            try reader.value(forKey: key, in: table, into: buffer)
        }
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        let reader = try inner.snapshot()
        return DisturbedRecords(self, reader, table, try reader.records(in: table))
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let reader = try inner.snapshot()
        return DisturbedEntries(
            self, reader, table,
            try reader.entries(in: table, range: range, descending: descending))
    }

    // MARK: The rest

    func snapshot(label: String) throws(BackendError) -> any BackendReader {
        try inner.snapshot(label: label)
    }

    var openSnapshots: [OpenSnapshot] { inner.openSnapshots }
    func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        try inner.changes(after: number)
    }

    func lines() throws(BackendError) -> [CommitLine] { try inner.lines() }
    func claimWork(_ name: String) throws(BackendError) -> WorkClaim? { try inner.claimWork(name) }

    func onCommit(_ body: @escaping @Sendable (CommitNumber) -> Void) -> Subscription {
        inner.onCommit(body)
    }

    func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try inner.claim(wanted)
    }

    func reserveTable() throws(BackendError) -> TableNumber { try inner.reserveTable() }
    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> { try inner.reserveRows(count, in: table) }
    func makeBatch() -> WriteBatch { inner.makeBatch() }
    func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        try inner.commit(batch)
    }

    func discard(_ batch: WriteBatch) { inner.discard(batch) }
    func sync() throws(BackendError) { try inner.sync() }
    func close() throws(BackendError) { try inner.close() }
}

/// A walk of a frozen reader, between whose steps the table is changed and changed back.
private final class DisturbedRecords: RecordCursor {
    private let owner: FrozenReads
    private let reader: any BackendReader
    private let table: TableNumber
    private let cursor: any RecordCursor

    init(
        _ owner: FrozenReads, _ reader: any BackendReader, _ table: TableNumber,
        _ cursor: any RecordCursor
    ) {
        (self.owner, self.reader, self.table, self.cursor) = (owner, reader, table, cursor)
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        try owner.reading(table, reader) { _ throws(BackendError) in try self.cursor.next(run) }
    }
}

private final class DisturbedEntries: EntryCursor {
    private let owner: FrozenReads
    private let reader: any BackendReader
    private let table: TableNumber
    private let cursor: any EntryCursor

    init(
        _ owner: FrozenReads, _ reader: any BackendReader, _ table: TableNumber,
        _ cursor: any EntryCursor
    ) {
        (self.owner, self.reader, self.table, self.cursor) = (owner, reader, table, cursor)
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        try owner.reading(table, reader) { _ throws(BackendError) in
            try self.cursor.next(run, limit: limit)
        }
    }

    func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool {
        try owner.reading(table, reader) { _ throws(BackendError) in
            try self.cursor.next(run, limit: limit)
        }
    }

    func seek(_ key: [UInt8]) throws(BackendError) { try cursor.seek(key) }
}
