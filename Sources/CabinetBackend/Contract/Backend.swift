/// The number of a commit; each is higher than the one before. 0 stands for none.
public typealias CommitNumber = UInt64

/// Tables of bytes, changed by batches that happen wholly or not at all.
///
/// The contract between a `Store` and its engine. What an engine must promise stands in
/// `BackendRule` of `CabinetTestSupport`, as tests that every engine runs. `Sendable`, because an
/// engine guards itself: all calls may come from any thread, also at the same time.
///
/// Reads see what was committed, whole batches only. A table that was never defined reads as an
/// empty one. No code of the caller runs inside an engine's lock.
public protocol Backend: AnyObject, Sendable {
    /// Whether commits are possible.
    var access: Access { get }

    /// Where the store lives, as its user would say it.
    var location: String { get }

    /// The store's own number, by which an ID of a record says which store it is from. The same each
    /// time the store is opened, and after a move of its files; a backup has the number of its
    /// original. Two stores that were made apart from each other have different ones.
    ///
    /// 0 for a store that has no lasting number: a directory of BNRPersistence (2010) that was not
    /// saved by this framework. The first commit gives it one. A store without a commit may have
    /// another number when it is opened again. Can be asked for at any time, also after closing.
    var identity: UInt64 { get }

    /// All tables but `TableNumber.catalog` and `TableNumber.namedBuffers`, in the order of
    /// their numbers.
    func tables() throws(BackendError) -> [TableDefinition]

    /// A number for a new table, given out once. A number that no batch ever defined may be given
    /// out again after the store was closed.
    func reserveTable() throws(BackendError) -> TableNumber

    /// `count` new rows for `table`, which need not be defined yet. A row that was committed is
    /// never given out again; one that never was may be, after the store was closed.
    /// - Throws: ``BackendError/rowsExhausted(_:)``; then no row was taken.
    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID>

    /// How many rows or keys `table` has.
    func count(of table: TableNumber) throws(BackendError) -> Int

    /// Copies the value of `row` into `buffer`, which it replaces. `false`: there is no such row,
    /// and the buffer is empty.
    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool

    /// Copies the value under `key` of a named or ordered table into `buffer`, which it replaces.
    /// `false`: there is no such key, and the buffer is empty.
    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool

    /// A walk over all rows of a record table, in whatever order is quickest.
    ///
    /// Each row that is there from the beginning to the end of the walk is met exactly once, each
    /// other row at most once, whatever is committed in between.
    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor

    /// A walk over the keys of an ordered table within `range`, in the order of their bytes (or
    /// against it); over all keys of a named table in no order, where `range` must be everything.
    ///
    /// Each key that is there from the beginning to the end of the walk is met exactly once, each
    /// other key at most once.
    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor

    /// An empty batch for ``commit(_:)`` or ``discard(_:)``, one of which must follow. Chunks that
    /// grow full are written out early. Once committed, it may be emptied and used again.
    func makeBatch() -> WriteBatch

    /// Makes all changes of the batch, or none of them. An empty batch changes nothing and gives
    /// the last commit's number. After it returns, every read sees the changes; how safe they are
    /// is the engine's ``Durability``. After a throw the store is as before and the batch is spent.
    @discardableResult
    func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber

    /// Commits a batch as ``commit(_:)`` does, and calls `body` once, as soon as the commit is
    /// certain: before or while its changes are made visible to reads.
    ///
    /// `body` must not use the backend, which may be waiting for it. Default: `commit(batch)`, then
    /// `body()`. Override it only if durability comes before visibility.
    /// - Throws: what ``commit(_:)`` throws. Then the store is as before, the batch is spent, and
    ///   `body` was not called.
    @discardableResult
    func commit(
        _ batch: WriteBatch, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber

    /// Gives up a batch.
    func discard(_ batch: WriteBatch)

    /// Makes every commit before it as safe as ``Durability/full`` makes them.
    func sync() throws(BackendError)

    /// Ends the use of the store. Afterwards every call throws ``BackendError/closed``; closing
    /// again does nothing.
    func close() throws(BackendError)
}

extension Backend {
    @discardableResult
    public func commit(
        _ batch: WriteBatch, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber {
        let number = try commit(batch)
        body()
        return number
    }
}

/// A walk over rows. It may be left at any time. Not `Sendable`: one call at a time, but each may
/// come from another thread.
public protocol RecordCursor: AnyObject {
    /// Replaces the content of `run` by the next rows, about 256 KiB of them. `false` at the end,
    /// with the run empty.
    func next(_ run: RecordRun) throws(BackendError) -> Bool

    /// As ``next(_:)``, for a thread that reads ahead for another one. It never waits for
    /// a writer: the other thread may be writing, and wait for this one.
    ///
    /// `nil`, with the run empty, where that cannot be: ``next(_:)`` then goes on from there. An
    /// engine whose reads never wait for a batch to end has nothing to add.
    func nextAhead(_ run: RecordRun) throws(BackendError) -> Bool?
}

extension RecordCursor {
    public func nextAhead(_ run: RecordRun) throws(BackendError) -> Bool? { try next(run) }
}

/// A walk over keys. It may be left at any time. Not `Sendable`.
public protocol EntryCursor: AnyObject {
    /// Replaces the content of `run` by the next entries, about 256 KiB of them. `false` at the
    /// end, with the run empty.
    func next(_ run: EntryRun) throws(BackendError) -> Bool

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool
    func seek(_ key: [UInt8]) throws(BackendError)
}

/// A stretch of keys in the order of their bytes, from `lower` on and before `upper`.
public struct KeyRange: Hashable, Sendable {
    /// The first key; `nil` for no limit.
    public var lower: [UInt8]?
    /// The key that follows the last one; `nil` for no limit.
    public var upper: [UInt8]?

    /// The keys from `lower` on and before `upper`; without either, every key.
    public init(from lower: [UInt8]? = nil, to upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key.
    public static let everything = KeyRange()

    /// The keys that begin with `prefix`; with an empty one, every key.
    public init(prefix: [UInt8]) {
        lower = prefix.isEmpty ? nil : prefix
        var end = prefix
        while end.last == .max { end.removeLast() }
        if end.isEmpty {
            upper = nil
        } else {
            end[end.count - 1] += 1
            upper = end
        }
    }
}
