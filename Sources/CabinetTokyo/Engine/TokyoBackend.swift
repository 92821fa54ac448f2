import CTokyoYield
import CabinetBackend
import Dispatch
import Synchronization

/// The default engine: a log of whole saves, and Tokyo Cabinet files that reads are served from.
///
/// A save is appended to the log and, at `Durability.full`, synced: then it is safe. The files
/// beside the log are its view, current after every save and rebuilt from it whenever they
/// cannot be trusted. `Sendable`: one save at a time goes on, beside any number of reads, and each
/// sees whole saves only.
///
/// `@unchecked`, because the compiler cannot see that `byNumber` and `isClosed` are only touched
/// under `lock` (and changed only by the thread that also has the writer's turn), and the log only
/// by the thread that has the writer's turn.
public final class TokyoBackend: Backend, @unchecked Sendable {
    public let access: Access
    public let location: String
    /// How safe a save is when it has returned.
    public let durability: Durability
    /// Whether the store is only read, and another process may write it: ``refresh()`` takes up what
    /// it saves. Not of a directory of 2010.
    let isFollower: Bool
    public var hasOtherWriters: Bool { isFollower }

    let files: any FileLayer
    let log: LogSink
    /// The process that opened the store. In one that was forked from it, every call throws.
    let process = ProcessMark()
    /// Whether a forked process has released its copy; never touched in the process that opened it.
    let isLeft = Guarded(false)
    /// Lets one writer write at a time.
    let turn = WriterTurn()
    /// Guards the views, and what is said of them in `tables`.
    let lock = ReadWriteLock()
    let counters: Guarded<Counters>
    let subscribers = CommitSubscribers()
    let looks = FollowerLooks()
    let works = WorkClaims()
    let upkeep = Upkeep()
    /// The segments that walks over the log have still to read, and where the latest walks ended.
    let pins = SegmentPins()
    let walkEnds = Guarded(WalkEnds())
    /// What was, for readers that are frozen. Under `lock`.
    let window: VersionWindow
    /// What the latest commits changed, for stores that take up what others commit, and for readers of the
    /// feed. Under `lock`.
    let recent = CommitFeed(limit: 1 << 20)
    /// How many walks over the feed there are.
    let feedReaders = Atomic<Int>(0)

    // Under `lock`; changed only with the turn.
    /// Where the views are: beside the log, or where a follower has its own.
    @exclusivity(unchecked) var paths: StorePaths
    @exclusivity(unchecked) var byNumber: [Table?]
    @exclusivity(unchecked) var isClosed = false
    /// The same for calls that need nothing else of the views.
    let hasClosed = Atomic(false)
    @exclusivity(unchecked) var isLegacy: Bool
    /// The last commit whose changes are in the views.
    var lastVisible: CommitNumber {
        get { CommitNumber(visible.load(ordering: .acquiring)) }
        set { visible.store(newValue.rawValue, ordering: .releasing) }
    }
    private let visible: Atomic<UInt64>
    /// Whether readers have gone whose commits the window still holds.
    let hasReleased = Atomic(false)
    /// The tables whose view files were found damaged, and have been rebuilt: in a store that is
    /// only read, beside the files.
    @exclusivity(unchecked) var damagedViews: [TableNumber]

    // With the turn.
    let commitLog: CommitLog
    var storeLocks: [StoreLock]
    var extraLocks: [LockedFile] = []
    var temporary: TemporaryViews?
    /// The directory of a follower's own views; `nil` while it reads those beside the log, because no
    /// other process writes.
    var copies: TemporaryViews?
    /// The lines that the catalog lists; and whether the next commit begins the log's line.
    var lineList: [CommitLine]
    @exclusivity(unchecked) var isLineDue: Bool
    @exclusivity(unchecked) var draft: BatchDraft?
    /// Where the chunks of the commit to be stand in the current segment, which tables they
    /// change, and what those get from them.
    @exclusivity(unchecked) var staged: [StagedFrame] = []
    @exclusivity(unchecked) var stagedTables: Set<TableNumber> = []
    @exclusivity(unchecked) var stagedUsage: [WriteBatch.TableUsage] = []
    /// Makes commits happen in the views; kept, as a small save would spend its time making it.
    @exclusivity(unchecked) var applier = Applier(highest: .firstFree)
    /// Fills the views of new tables meanwhile; and whether that was given up.
    @exclusivity(unchecked) var forerunner: Forerunner?
    @exclusivity(unchecked) var isForerunnerOver = false
    @exclusivity(unchecked) var highestTable: TableNumber
    let highestAtOpening: TableNumber
    let tableLimit: Int
    /// The directories that opening has made; `nil` for BNRPersistence's.
    let made: MadeDirectories?
    /// The tables that were said to have fewer buckets than records, for want of room.
    @exclusivity(unchecked) var crowded: Set<TableNumber> = []
    /// When the engine may next try to rebuild an unavailable view, where that has failed.
    @exclusivity(unchecked) var nextRestoring: [TableNumber: DispatchTime] = [:]
    /// Whether two record tables may have one class number: while a damaged store is salvaged.
    @exclusivity(unchecked) var sharesClassNumbers = false
    /// Numbers whose tables were dropped while the store was open.
    @exclusivity(unchecked) var retired: Set<TableNumber> = []

    /// Opens the store in the directory at `path`, which is made if need be.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - durability: how safe a save is when it has returned.
    ///   - access: with `Access.readOnly` no file in the directory is changed. If another process
    ///     has it open for writing, this follows it: see ``refresh()``.
    ///   - snapshots: how much may be kept for frozen readers; what memory has no room for goes to a
    ///     file without a name in the store's directory.
    ///   - key: the key of a sealed store; it seals one in which nothing was ever saved. `nil`: the store is not
    ///     sealed.
    ///   - log: gets messages about recoveries and rebuilt files.
    /// - Throws: `BackendError`; then all that was saved is as before. The store may count as one that was not
    ///   closed in order.
    public convenience init(
        path: String, durability: Durability = .full, access: Access = .readWrite,
        snapshots: SnapshotLimits = SnapshotLimits(), key: StoreKey? = nil,
        log: LogSink = .standardError
    ) throws(BackendError) {
        let files = SystemFiles()
        TemporaryViews.sweep(files, log: log)
        try self.init(
            path: path, durability: durability, access: access, snapshots: snapshots, key: key,
            log: log, files: files)
    }

    /// Opens a store through a file layer of the caller's.
    ///
    /// - Parameters:
    ///   - follows: whether to follow whatever writes the store, as if another process did, without a look
    ///     at locks.
    ///   - tableLimit: how many table numbers there are: fewer for a test.
    package init(
        path: String, durability: Durability = .full, access: Access = .readWrite,
        snapshots: SnapshotLimits = SnapshotLimits(), key: StoreKey? = nil,
        log: LogSink = .standardError, files: any FileLayer,
        follows: Bool = false, tableLimit: Int = 1 << 16
    ) throws(BackendError) {
        cabinet_yield_gate_close()
        var root = path
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        let logPaths = StorePaths(root: files.resolved(root))
        location = root
        let access = follows ? .readOnly : access
        let sealing = try StoreSealing(key, logPaths, access, files)
        let placed =
            access == .readWrite
            ? PlacedFiles(sealing.files, root: logPaths.root, lock: logPaths.lock) : nil
        let files: any FileLayer = placed ?? sealing.files
        self.files = files
        self.access = access
        self.durability = durability
        self.log = log
        let opening = Opening(
            files: files, placed: placed, paths: logPaths, durability: durability,
            access: access, log: log, newKeys: sealing.newKeys,
            hasKey: key != nil)
        let opened = try follows ? FollowerOpening(opening).open() : opening.open()
        isFollower = self.access == .readOnly && !opened.isLegacy
        paths = opened.copies.map { StorePaths(root: $0.directory) } ?? logPaths
        copies = opened.copies
        window = VersionWindow(limits: snapshots) { [isFollower] () throws(BackendError) in
            guard isFollower else { return try Self.spillFile(in: logPaths.log, files) }
            let place = try TemporaryViews(files: files)
            defer { withExtendedLifetime(place) {} }
            return try Self.spillFile(in: place.directory, files)
        }
        byNumber = opened.tables
        commitLog = opened.commitLog
        visible = Atomic(opened.commitLog.lastCommit.rawValue)
        storeLocks = opened.lock.map { [$0] } ?? []
        temporary = opened.temporary
        isLegacy = opened.isLegacy
        lineList = opened.lines
        isLineDue = opened.lines.last?.number != opened.commitLog.line
        damagedViews = opened.damagedViews
        highestTable = opened.highestTable
        highestAtOpening = opened.highestTable
        made = opened.made
        counters = Guarded(Counters(of: opened, tableLimit: tableLimit))
        self.tableLimit = tableLimit
        if opened.hasReplacedSegments { try removeUnneeded() }
    }

    deinit { try? close() }

    /// The number in the head of each of the log's segments; 0 while the files are only those of
    /// 2010, and in a forked process.
    public var identity: UInt64 {
        guard process.isCurrent else { return 0 }
        return lock.reading { isLegacy } ? 0 : commitLog.store
    }

    // MARK: Tables

    /// The table, where it is; under the lock.
    @inline(__always)
    func table(_ number: TableNumber) -> Table? {
        number.index < byNumber.count ? byNumber[number.index] : nil
    }

    /// Throws once the backend is closed; under the lock.
    @inline(__always)
    func checkOpen() throws(BackendError) {
        if isClosed { throw .closed }
    }

    /// Throws in a forked process; without any lock, as a thread that is not there may hold it.
    @inline(__always)
    func checkProcess() throws(BackendError) {
        if !process.isCurrent { throw .forked(path: location) }
    }

    public func tables() throws(BackendError) -> [TableDefinition] {
        try checkProcess()
        return try lock.reading { () throws(BackendError) in
            try checkOpen()
            return byNumber.compactMap { $0?.definition }.filter { $0.number >= .firstFree }
        }
    }
}
