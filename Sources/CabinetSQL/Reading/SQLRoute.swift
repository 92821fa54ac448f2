import CabinetBackend

/// How a store in a database is asked and changed: by statements, one after the other (``SessionRoute``), or,
/// where each one costs a way through a network, by calls of an engine's own. `Sendable`: all calls may come
/// from any thread.
///
/// A `commit` is one that is held; `nil`: the last one that is known, or a later one where that is not known
/// any more. Bytes that a closure gets live until it returns; it returns `false` to end.
package protocol SQLRoute: Sendable {
    /// Whether each call takes a way through a network.
    var isRemote: Bool { get }

    /// All tables, in the order of their numbers.
    func tables(
        asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> [TableDefinition]

    /// The kind of a table; `nil`: it is not there.
    func kind(
        of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> TableKind?

    /// How many rows or keys a table has.
    func count(
        of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> Int

    /// How many keys lie in a range, or any number from the limit on.
    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int, asOf commit: CommitNumber?,
        _ core: SQLCore
    ) throws(BackendError) -> Int

    /// Gives the values of those rows that are there, in their order.
    /// - Parameter checked: whether values are looked at; otherwise they are empty.
    /// - Returns: how many rows were looked up.
    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, checked: Bool,
        asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int

    /// Gives the values of those keys that are there, in their order.
    /// - Returns: how many keys were looked up.
    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, asOf commit: CommitNumber?,
        _ core: SQLCore,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int

    /// Gives the rows behind one.
    /// - Returns: the last one that was given; `nil` at the end of the table.
    func records(
        in table: TableNumber, after row: Int64, asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int64?

    /// Gives the entries of a range, as many as are wanted or more.
    /// - Returns: the last key that was given; `nil` at the end of the range.
    func entries(
        in table: TableNumber, _ range: KeyRange, descending: Bool, limit: Int,
        asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> [UInt8]?

    /// What the store says of itself by now.
    func state(_ core: SQLCore) throws(BackendError) -> StoreState

    /// The same, when what others have committed is about to be taken up: an engine far away brings it along.
    func look(_ core: SQLCore) throws(BackendError) -> StoreState

    /// The lines of the commits that are known.
    func lines(_ core: SQLCore) throws(BackendError) -> [CommitLine]

    /// Says in the store what is held here, and that this session is alive.
    func register(_ core: SQLCore) throws(BackendError)

    /// The next commits behind one in a row, among those that are known: some of them; none if there are none yet.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if they are not kept.
    func changes(
        after number: CommitNumber, _ core: SQLCore
    ) throws(BackendError) -> [CommittedChanges]

    /// A part of the operations of a large commit; `nil`: there are no more.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if it is not kept any more.
    func part(
        _ part: Int64, of commit: CommitNumber, _ core: SQLCore
    ) throws(BackendError) -> [UInt8]?

    /// Makes a commit of a batch, of which some operations were handed over. Returns its number; that of the
    /// last commit if the batch only requires something.
    func commit(
        _ batch: WriteBatch, _ chunks: [UnsafeRawBufferPointer], _ core: SQLCore
    ) throws(BackendError) -> Int64

    /// Begins the use of the store.
    /// - Parameters:
    ///   - registers: whether the database can be written, be it only to say who reads it.
    ///   - isWriting: whether commits are to be made.
    func enter(
        _ roster: Roster, _ pool: SessionPool, registers: Bool, isWriting: Bool
    ) throws(BackendError) -> SQLEntry

    func claim(_ wanted: TableClaim, _ core: SQLCore) throws(BackendError) -> TableDefinition

    func reserveRows(
        _ count: UInt32, in table: TableNumber, _ core: SQLCore
    ) throws(BackendError) -> ClosedRange<RowID>

    func reserveTable(_ core: SQLCore) throws(BackendError) -> TableNumber

    /// The highest row that was ever committed, also by commits that are not known here.
    func highestRow(of table: TableNumber, _ core: SQLCore) throws(BackendError) -> RowID

    /// Of each commit, how many bytes are kept of what was replaced after it.
    func bytesKept(
        since commits: [CommitNumber], _ core: SQLCore
    ) throws(BackendError) -> [Int]

    /// What became of a commit whose answer was lost.
    func outcome(of token: UInt64, _ core: SQLCore) throws(BackendError) -> CommitOutcome

    // MARK: What is done from time to time

    /// Has the database say when there are commits, if it can: `SQLCore/lookNow()` is called then. Called again and
    /// again while a subscriber wants to hear of them.
    func follow(_ core: SQLCore)

    /// The end of that.
    func unfollow()

    /// How far apart looks for commits of others are, where many use the store.
    /// - Parameter look: how far where few do.
    func pause(_ look: Duration) -> Duration

    /// Decides up to which commit no reader asks what was before, as far as that one, and removes what tables
    /// hold that were dropped until then.
    /// - Returns: whether there may be more to remove.
    func giveUpPast(_ core: SQLCore) throws(BackendError) -> Bool

    /// Removes some of what was replaced by commits up to which no reader asks any more.
    /// - Returns: whether there may be more.
    func removeSomePast(_ core: SQLCore) throws(BackendError) -> Bool

    /// Gives up the oldest commits of the feed.
    /// - Parameter limit: how many bytes of operations may be kept beyond what names need.
    func trimFeed(to limit: Int, _ core: SQLCore) throws(BackendError)

    /// Claims work. `false`: a session has it that has not ended.
    func claimWork(_ name: String, _ core: SQLCore) throws(BackendError) -> Bool
    func endWork(_ name: String, _ core: SQLCore) throws(BackendError)

    /// Makes all commits safe, those of others too.
    func sync(_ core: SQLCore) throws(BackendError)

    // MARK: The end

    /// Takes this session off the list, with all that it does.
    /// - Parameter syncs: whether all commits are made safe, those of others too.
    /// - Returns: `false`: the session that writes is to do it.
    func leave(_ core: SQLCore, syncs: Bool) throws(BackendError) -> Bool

    /// Ends the use of what the route has for itself.
    func close()
}

/// What is known of a store when it is opened. `Sendable`: a value.
package struct SQLEntry: Sendable {
    /// Whether others know of this session. Otherwise that could not be written down, as on a disk that is
    /// full, which keeps nobody from reading.
    package var isRegistered: Bool
    package var identity: UInt64
    /// The number of the last commit.
    package var last: Int64

    package init(isRegistered: Bool, identity: UInt64, last: Int64) {
        self.isRegistered = isRegistered
        self.identity = identity
        self.last = last
    }
}
