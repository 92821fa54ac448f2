import CabinetBackend

/// A store in memory alone: as quick as the machine allows, and gone when it is closed.
///
/// For tests, previews and data that can be computed again. It keeps every promise of `Backend`,
/// those of all `BackendFeatures` too; all saves are as safe as the process. `Sendable`, because a
/// lock guards all that it holds.
public final class MemoryBackend: Backend, Sendable {
    public let access: Access
    public let location: String
    /// Drawn at random when the store is made, never 0.
    public let identity = UInt64.random(in: 1...UInt64.max)
    /// The number of the only line, as nothing is left of a store that is closed.
    private let line = UInt64.random(in: 1...UInt64.max)

    private let log: LogSink
    private let lock = Lock()
    /// Touched only while the lock is held.
    private nonisolated(unsafe) let contents: Contents
    let subscribers = CommitSubscribers()
    private let works = WorkClaims()

    public var features: BackendFeatures { .all }

    /// An empty store.
    ///
    /// - Parameters:
    ///   - location: what messages call the store.
    ///   - access: a store opened for reading stays empty.
    ///   - changesKept: how many bytes of memory the changes of the latest commits may take, for
    ///     ``changes(after:)``; 1 MiB. A commit that is larger than that is kept only under a name.
    ///   - snapshots: how much may be kept for frozen readers; what memory has no room for goes to a
    ///     file in the system's temporary directory.
    ///   - log: gets a `.debug` message when the store is closed and its content is gone.
    public init(
        location: String = "memory", access: Access = .readWrite, changesKept: Int = 1 << 20,
        snapshots: SnapshotLimits = SnapshotLimits(), log: LogSink = .standardError
    ) {
        contents = Contents(feedLimit: access == .readOnly ? 0 : changesKept, snapshots)
        self.location = location
        self.access = access
        self.log = log
    }

    /// Calls `body` with the contents, one caller at a time.
    @inline(__always)
    func withContents<Value>(
        _ body: (Contents) throws(BackendError) -> Value
    ) throws(BackendError) -> Value {
        try lock.withLock { () throws(BackendError) in
            try contents.checkOpen()
            return try body(contents)
        }
    }

    /// - Throws: `BackendError.closed`.
    func checkOpen() throws(BackendError) { try withContents { _ in } }

    func checkWritable() throws(BackendError) {
        if access == .readOnly { throw .readOnly(path: location) }
    }

    public func lines() throws(BackendError) -> [CommitLine] {
        try withContents { $0.lastCommit > 0 ? [CommitLine(number: line, first: 1)] : [] }
    }

    /// Gives up what the feed has of these commits. What frozen readers need of them goes with the readers.
    public func erasePast(upTo number: CommitNumber) throws(BackendError) {
        try checkWritable()
        try withContents { $0.feed.giveUp(upTo: number) }
    }

    public func sync() throws(BackendError) { try checkOpen() }

    public func close() throws(BackendError) {
        let commits: CommitNumber? = lock.withLock {
            do { try contents.checkOpen() } catch { return nil }
            contents.close()
            return contents.lastCommit
        }
        guard let commits else { return }
        log(.debug, "\(location) was closed after \(commits) commits; nothing of it is kept.")
    }
}

extension MemoryBackend {
    public func claimWork(_ name: String) throws(BackendError) -> WorkClaim? {
        try checkOpen()
        try checkWritable()
        return works.claim(name)
    }

    public func tables() throws(BackendError) -> [TableDefinition] {
        try withContents { $0.definitions }
    }

    public func reserveTable() throws(BackendError) -> TableNumber {
        try withContents { contents throws(BackendError) in
            try checkWritable()
            return try contents.reserveTable()
        }
    }

    public func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try withContents { contents throws(BackendError) in
            let folded = TableDefinition(number: .max, kind: wanted.kind, name: wanted.name)
                .foldedName
            let isThere = contents.definitions.contains { $0.foldedName == folded }
            if !isThere { try checkWritable() }
            return try contents.claim(wanted)
        }
    }

    public func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        try withContents { contents throws(BackendError) in
            try checkWritable()
            return try contents.reserveRows(count, in: table)
        }
    }

    public func highestRow(of table: TableNumber) throws(BackendError) -> RowID {
        try withContents { $0.highestRow(of: table) }
    }
}
