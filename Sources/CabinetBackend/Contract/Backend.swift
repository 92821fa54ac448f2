/// Tables of bytes, changed by batches that happen wholly or not at all.
///
/// The contract between a `Store` and its engine. What an engine must promise stands in
/// `BackendRule` of `CabinetTestSupport`, as tests that every engine runs. `Sendable`, because an
/// engine guards itself: all calls may come from any thread, also at the same time.
///
/// As a ``BackendReader`` it answers as of the last commit.
public protocol Backend: BackendReader {
    /// Whether commits are possible.
    var access: Access { get }

    /// What the engine takes at most. Default: those of the engines of this package.
    var limits: BackendLimits { get }

    /// Which of the optional parts of the contract the engine keeps. A call of another part throws
    /// ``BackendError/unsupported(_:)``. Default: none.
    var features: BackendFeatures { get }

    /// Where the store lives, as its user would say it.
    var location: String { get }

    /// A number for a new table, given out once. A number that no batch ever defined may be given
    /// out again after the store was closed.
    func reserveTable() throws(BackendError) -> TableNumber

    /// The definition that the store's table of that name has, or will have: what two stores over
    /// one backend call before they define the table of a class.
    ///
    /// If the store has a table of that name and kind, its definition. Otherwise one with a new
    /// number and, for records, the lowest class number that no table has and no other claim holds;
    /// number and class number are kept for the name until the store is closed, for every caller,
    /// so that each later claim of it gives the same definition. Nothing is defined: a batch does
    /// that.
    ///
    /// A new number may be that of an ordered table with ``TableFlags/derived`` that was dropped, if the new
    /// one is such a table too, no reader holds a commit before the drop, and what the engine would read
    /// again of its files begins behind the drop. Numbers of other tables are never used again. A
    /// caller that keeps a number beyond a commit that drops its table must look at
    /// ``BackendReader/tables()`` again.
    /// - Throws: ``BackendError/badTableName(_:)`` if the name is no table's, or is that of a table
    ///   of another kind, ``BackendError/classNumbersExhausted``, ``BackendError/tablesExhausted``,
    ///   ``BackendError/readOnly(path:)`` for a new table.
    func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition

    /// `count` new rows for `table`, which need not be defined yet. A row that was committed is
    /// never given out again; one that never was may be, after the store was closed.
    /// - Throws: ``BackendError/rowsExhausted(_:)``; then no row was taken.
    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID>

    /// The highest row of a record table that was ever committed, or a higher one below those that
    /// ``reserveRows(_:in:)`` gives out next; `RowID.none` for none. Default: the highest one that is there, by a walk.
    func highestRow(of table: TableNumber) throws(BackendError) -> RowID

    /// An empty batch for ``commit(_:)`` or ``discard(_:)``, one of which must follow. Chunks that
    /// grow full are written out early. Once committed, it may be emptied and used again.
    func makeBatch() -> WriteBatch

    /// Makes all changes of the batch, or none of them. An empty batch changes nothing and gives
    /// the last commit's number. After it returns, every read sees the changes; how safe they are
    /// is the engine's ``Durability``.
    ///
    /// An engine checks in this order, while no other commit can happen: what the batch requires
    /// (``WriteBatch/basis``, ``WriteBatch/require(_:row:in:)``), also of an empty batch; then
    /// whether its operations are possible.
    /// - Throws: besides errors of the engine: ``BackendError/conflict(_:)`` with every requirement
    ///   that failed, ``BackendError/changesGone(oldest:)``, ``BackendError/badAddition(_:)``,
    ///   ``BackendError/noTable(_:)``, ``BackendError/badTableName(_:)``,
    ///   ``BackendError/classNumberTaken(_:)``, ``BackendError/tooLarge(limit:)``. After a throw the
    ///   store is as before and the batch is spent.
    @discardableResult
    func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber

    /// Commits a batch as ``commit(_:)`` does, and calls `body` once, as soon as the caller's thread
    /// knows that the commit is certain: before or while its changes are made visible to reads, or
    /// afterwards if another thread has made it along with its own.
    ///
    /// `body` must not use the backend, which may be waiting for it. Default: `commit(batch)`, then
    /// `body()`. Override it only if durability comes before visibility.
    /// - Throws: what ``commit(_:)`` throws. Then the store is as before, the batch is spent, and
    ///   `body` was not called.
    @discardableResult
    func commit(
        _ batch: WriteBatch, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber

    /// Commits a batch as ``commit(_:meanwhile:)`` does, and freezes a reader at the commit, or at a
    /// later one: what a store does that reads beside others. Default: the one, then the other.
    /// - Parameter label: as for ``snapshot(label:)``.
    /// - Returns: the commit's number, and the reader; `nil` if there could be none.
    /// - Throws: what ``commit(_:)`` throws.
    func commit(
        _ batch: WriteBatch, freezing label: String, meanwhile body: () -> Void
    ) throws(BackendError) -> (number: CommitNumber, reader: (any BackendReader)?)

    /// What became of a commit that threw ``BackendError/outcomeUnknown(token:)``: for engines over a
    /// network, which try to reach the store for that. Of each such commit it is asked until it is known,
    /// as long as the backend is open.
    /// - Throws: ``BackendError/outcomeUnknown(token:)`` if that is still not known. Default, for engines
    ///   that always know: ``BackendError/unsupported(_:)``.
    func outcome(of token: UInt64) throws(BackendError) -> CommitOutcome

    /// A reader frozen at the last commit, which is kept readable until the reader is freed or the
    /// backend closed; then its calls throw ``BackendError/closed``. Walks keep their reader.
    ///
    /// While a reader is held, commits cost more, and the engine keeps what they replace: hold it
    /// no longer than needed. An engine may give up the oldest readers when that grows too much;
    /// their calls throw ``BackendError/snapshotTooOld(_:)``. Needs ``BackendFeatures/snapshots``.
    /// - Parameter label: what ``openSnapshots`` says of the reader, such as where it was taken.
    func snapshot(label: String) throws(BackendError) -> any BackendReader

    /// The frozen readers that are held, oldest commits first. Default: none.
    var openSnapshots: [OpenSnapshot] { get }

    /// The commits after the one of that number, oldest first. Needs ``BackendFeatures/changes``.
    ///
    /// An engine keeps the changes of some of the latest commits; how many is its own affair. A
    /// number is only good while the backend is open, as after a power cut and in a copy of the store
    /// other commits may get it. For later runs keep ``position()``.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if some of them are not kept any more, or if
    ///   there is no commit of that number yet.
    func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor

    /// The lines of the store's commits, oldest first; empty before the first commit. They change with
    /// commits alone: the first commit of a line lists it. Needs ``BackendFeatures/lines``.
    /// - Throws: ``BackendError/unsupported(_:)`` by default.
    func lines() throws(BackendError) -> [CommitLine]

    /// Claims a kind of work on the store, such as bringing one of its tables up to date, of which no two
    /// may run at the same time, in any process. Needs ``BackendFeatures/workClaims`` to refuse
    /// any: the default grants every claim.
    ///
    /// The claim of a process that ends, or closes the store, ends with it.
    /// - Returns: `nil` while another claim of that name is held.
    /// - Throws: ``BackendError/readOnly(path:)`` where there can be no commits.
    func claimWork(_ name: String) throws(BackendError) -> WorkClaim?

    /// Whether commits may be made elsewhere, by another process for example, too: reads see them only once
    /// ``refresh()`` has taken note of them. Whether this one can commit says ``access``. Never changes.
    /// Default: `false`.
    var hasOtherWriters: Bool { get }

    /// Whether each read waits for an answer from elsewhere, such as another machine: a store then reads
    /// ahead what is likely to be asked next. Never changes. Default: `false`.
    var isRemote: Bool { get }

    /// Whether the files of the store are sealed by a key. Never changes. Default: `false`.
    var isEncrypted: Bool { get }

    /// Takes note of commits that were made elsewhere, and gives the number of the last commit.
    /// Default: ``BackendReader/lastCommit()``, for an engine through which all commits are made.
    @discardableResult
    func refresh() throws(BackendError) -> CommitNumber

    /// Calls `body` after each commit that reads see from now on, in the order of their numbers,
    /// until the subscription is cancelled or freed. While there are subscriptions, an engine with other
    /// writers takes note of their commits by itself, within a fraction of a second.
    ///
    /// `body` is called on any thread, one call at a time, never inside the engine's lock. It may
    /// read and commit; a commit that it makes is announced after it has returned. It delays the
    /// commit that it is called for, and must not wait for another thread's commit.
    func onCommit(_ body: @escaping @Sendable (CommitNumber) -> Void) -> Subscription

    /// Hands over what takes records apart, for an engine that shows them to other programs. Each store does that
    /// when it is opened; the last one counts. Default: nothing.
    func use(_ translator: any RecordTranslator)

    /// Gives up a batch.
    func discard(_ batch: WriteBatch)

    /// Makes every commit before it as safe as ``Durability/full`` makes them.
    func sync() throws(BackendError)

    /// Removes for good what commits up to that one have replaced or deleted: from the feed, as far as no
    /// name needs it (``KeptChanges``), and the bytes from the engine's files. Reads and commits may wait
    /// meanwhile. Frozen readers keep what they have, and other programs that hold old files what these have.
    ///
    /// - Parameter number: of a commit that there is. With 0 the call only tells whether it is possible.
    /// - Throws: ``BackendError/unsupported(_:)`` by default; ``BackendError/readOnly(path:)``; what making
    ///   files anew may throw. Then nothing is lost, and bytes may be left.
    func erasePast(upTo number: CommitNumber) throws(BackendError)

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

    public func commit(
        _ batch: WriteBatch, freezing label: String, meanwhile body: () -> Void
    ) throws(BackendError) -> (number: CommitNumber, reader: (any BackendReader)?) {
        let number = try commit(batch, meanwhile: body)
        return (number, try? snapshot(label: label))
    }

    public func highestRow(of table: TableNumber) throws(BackendError) -> RowID {
        let cursor = try records(in: table)
        let run = RecordRun()
        var highest = RowID.none
        while try cursor.next(run) {
            while let (row, _) = run.next() { highest = max(highest, row) }
        }
        return highest
    }

    public var limits: BackendLimits { BackendLimits() }

    public var features: BackendFeatures { [] }

    public func snapshot(label: String) throws(BackendError) -> any BackendReader {
        throw .unsupported("a frozen reader")
    }

    /// As ``snapshot(label:)``, with the line of the program that calls it as the label.
    public func snapshot(
        fileID: String = #fileID, line: Int = #line
    ) throws(BackendError) -> any BackendReader {
        try snapshot(label: "\(fileID):\(line)")
    }

    public var openSnapshots: [OpenSnapshot] { [] }

    public func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        throw .unsupported("the changes of commits")
    }

    public func outcome(of token: UInt64) throws(BackendError) -> CommitOutcome {
        throw .unsupported("commits whose outcome is not known")
    }

    public func claimWork(_ name: String) throws(BackendError) -> WorkClaim? { WorkClaim() }

    public func erasePast(upTo number: CommitNumber) throws(BackendError) {
        throw .unsupported("removing for good what was replaced")
    }

    public var hasOtherWriters: Bool { false }

    public var isRemote: Bool { false }
    public var isEncrypted: Bool { false }
    public func use(_ translator: any RecordTranslator) {}

    @discardableResult
    public func refresh() throws(BackendError) -> CommitNumber { try lastCommit() }
}
