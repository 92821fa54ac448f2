import CabinetBackend

/// A store in a database: what all engines over SQL are, whatever the database.
///
/// Several processes may write the store: each commit is checked against what all of them have committed, and
/// reads are as of the last commit that this process knows. `@unchecked Sendable`, as the class may be
/// inherited from: its properties never change, and each of them is `Sendable`.
open class SQLBackend: Backend, @unchecked Sendable {
    package let core: SQLCore
    private let now: SQLReader

    /// - Parameter core: what the store is worked with; of this backend alone.
    package init(_ core: SQLCore) {
        self.core = core
        now = SQLReader(core)
    }

    public var access: Access { core.access }
    public var limits: BackendLimits { core.host.limits }
    public var location: String { core.host.location }
    public var identity: UInt64 { core.identity }
    public var hasOtherWriters: Bool { true }
    public var isRemote: Bool { core.route.isRemote }

    /// All but ``BackendFeatures/ranks``: counts of ranges walk over them.
    public var features: BackendFeatures {
        [.snapshots, .bases, .changes, .lines, .keptChanges, .workClaims]
    }

    // MARK: Reading

    public func lastCommit() throws(BackendError) -> CommitNumber { try now.lastCommit() }

    public func tables() throws(BackendError) -> [TableDefinition] { try now.tables() }

    public func count(of table: TableNumber) throws(BackendError) -> Int {
        try now.count(of: table)
    }

    public func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int { try now.count(of: range, in: table, upTo: limit) }

    public func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool { try now.value(of: row, in: table, into: buffer) }

    public func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int { try now.values(of: rows, in: table, into: run) }

    public func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] { try now.presentRows(among: rows, in: table) }

    public func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool { try now.value(forKey: key, in: table, into: buffer) }

    public func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int { try now.values(forKeys: keys, in: table, into: run) }

    public func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try now.records(in: table)
    }

    public func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try now.entries(in: table, range: range, descending: descending)
    }

    // MARK: Holding and following

    public func snapshot(label: String) throws(BackendError) -> any BackendReader {
        try core.snapshot(label: label)
    }

    public var openSnapshots: [OpenSnapshot] { core.openSnapshots }

    @discardableResult
    public func refresh() throws(BackendError) -> CommitNumber { try core.refresh() }

    public func onCommit(
        _ body: @escaping @Sendable (CommitNumber) -> Void
    ) -> Subscription {
        defer { core.ticker.hurry(core) }
        return core.subscribers.add(body)
    }

    public func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        try SQLChangeCursor(core, after: number)
    }

    public func lines() throws(BackendError) -> [CommitLine] { try core.route.lines(core) }

    // MARK: Committing

    public func reserveTable() throws(BackendError) -> TableNumber { try core.reserveTable() }

    public func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try core.claim(wanted)
    }

    public func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> { try core.reserveRows(count, in: table) }

    public func highestRow(of table: TableNumber) throws(BackendError) -> RowID {
        try core.route.highestRow(of: table, core)
    }

    public func claimWork(_ name: String) throws(BackendError) -> WorkClaim? {
        try core.claimWork(name)
    }

    public func makeBatch() -> WriteBatch { WriteBatch(sink: StagedChunks(core)) }

    @discardableResult
    public func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        try core.commit(batch)
    }

    public func discard(_ batch: WriteBatch) { (batch.sink as? StagedChunks)?.removeAll() }

    /// Tries to make what has failed harmless, and looks whether it was made.
    public func outcome(of token: UInt64) throws(BackendError) -> CommitOutcome {
        try core.route.outcome(of: token, core)
    }

    public func use(_ translator: any RecordTranslator) {
        core.translator.withLock { $0 = translator }
    }

    /// Removes what the feed and the past have of these commits; a file of SQLite's is then written anew
    /// (`VACUUM`). A server keeps bytes of removed rows until it vacuums its tables and recycles its log.
    public func erasePast(upTo number: CommitNumber) throws(BackendError) {
        guard access == .readWrite else { throw .readOnly(path: location) }
        if number > 0 { try core.erasePast(upTo: number) }
    }

    public func sync() throws(BackendError) { try core.sync() }

    public func close() throws(BackendError) { try core.close() }
}
