import CabinetBackend
import Dispatch

/// Fills the views of tables that a large save makes, on a thread of its own, while the save is
/// still being written and synced.
///
/// No reader sees a table before the commit that makes it. Until then its file has another name
/// and is marked busy. So it may hold what is not committed yet: without a commit it is removed,
/// and after a kill it is a leftover that the next opening removes. It is filled from the log,
/// whose chunks are read back, so a save of any size takes memory for two chunks.
///
/// `Sendable`: only the thread with the turn calls it, and what its queue works with is touched by
/// no other thread until ``wait()`` has returned. The lock shows that to the thread sanitizer.
final class Forerunner: @unchecked Sendable {
    /// A chunk in the log, and how far the files of the tables may reach that it changes.
    struct Chunk {
        var file: OpenFile
        var frame: StagedFrame
        var rooms: [(table: TableNumber, size: UInt64)]
        /// Whether the commit has to read it, or one before it, for tables that are not filled
        /// ahead.
        var isReadAgain: Bool
    }

    /// What a feed of an ordered table has come to.
    struct Ordered {
        var table: TableNumber
        var feed: OrderedFeed
        var outcome: Swift.Result<OrderedFeed.Outcome, BackendError>
    }

    /// What is made when the forerunner has caught up.
    struct Result {
        /// Tables for which all that is in chunks is made already.
        var tables: Set<TableNumber> = []
        /// Those of them that must be rebuilt.
        var failed: Set<TableNumber> = []
        var ordered: [Ordered] = []
    }

    /// The tables whose views are being filled; with the turn.
    private(set) var tables: [TableNumber: Table] = [:]
    /// The ordered tables whose changes are being sorted; with the turn.
    private(set) var orderedTables: Set<TableNumber> = []

    private let files: any FileLayer
    private let store: UInt64
    private let segment: UInt64
    private let queue = DispatchQueue(label: "Cabinet.forerunner", qos: .userInitiated)
    private let lock = Lock()
    // Under the lock.
    private var isCancelled = false
    private var arriving: [Table] = []
    private var arrivingFeeds: [(feed: OrderedFeed, below: OrderedLayers)] = []
    private var finishedEnd: UInt64 = 0
    private var isFinished = true

    // On the queue, and after waiting for it.
    private var applier = Applier(highest: 0)
    private var readback = Readback()
    private var failure: BackendError?
    private var feeds: [(feed: OrderedFeed, below: OrderedLayers)] = []
    private var outcomes: [Ordered] = []

    init(files: any FileLayer, store: UInt64, segment: UInt64) {
        self.files = files
        self.store = store
        self.segment = segment
    }

    /// Takes a table that no earlier chunk has changed; its view is the queue's from now on.
    func take(_ table: Table) {
        tables[table.number] = table
        lock.withLock { arriving.append(table) }
    }

    /// Takes the feed of an ordered table that no earlier chunk has changed.
    /// - Parameter below: the table as it is before the commit.
    func take(_ feed: OrderedFeed, below: OrderedLayers) {
        orderedTables.insert(feed.table)
        lock.withLock { arrivingFeeds.append((feed, below)) }
    }

    /// Whether there are feeds: then all of the commit's chunks must come here.
    var hasFeeds: Bool { !orderedTables.isEmpty }

    /// Whether the table's changes are made ahead of the commit.
    func contains(_ table: TableNumber) -> Bool {
        tables[table] != nil || orderedTables.contains(table)
    }

    /// Has the feeds finished, which have got all of the commit: beside its last frame and sync.
    func finishFeeds() {
        guard hasFeeds else { return }
        lock.withLock {}
        queue.async { [self] in
            guard takeArriving(), failure == nil else { return }
            for (feed, below) in feeds {
                let outcome = Swift.Result { () throws(BackendError) in
                    try feed.finish(below: below)
                }
                outcomes.append(Ordered(table: feed.table, feed: feed, outcome: outcome))
            }
            lock.withLock {}
        }
    }

    /// Has the chunk's changes of the tables made.
    func apply(_ chunk: Chunk) {
        lock.withLock {}
        queue.async { [self] in
            guard takeArriving(), failure == nil else { return }
            for room in chunk.rooms { applier.setReserve(room.size, of: room.table) }
            do throws(BackendError) {
                try readback.read(chunk.frame, from: chunk.file, files, store, segment) {
                    applier.apply($0)
                }
            } catch {
                failure = error
            }
            finish(chunk)
        }
    }

    /// On the queue. Takes note of how far the log will not be read again.
    private func finish(_ chunk: Chunk) {
        lock.withLock {
            isFinished = isFinished && !chunk.isReadAgain && failure == nil
            if isFinished { finishedEnd = chunk.frame.offset + chunk.frame.size }
        }
    }

    /// Up to where in the log the commit has no more use for its chunks; 0: for all.
    var end: UInt64 { lock.withLock { finishedEnd } }

    /// On the queue. `false`: the work was cancelled.
    private func takeArriving() -> Bool {
        lock.withLock {
            for table in arriving { applier.add(table) }
            arriving = []
            for feed in arrivingFeeds { applier.add(feed.feed.table, feed.feed) }
            feeds += arrivingFeeds
            arrivingFeeds = []
            return !isCancelled
        }
    }

    /// Returns when all is done. The views are the caller's again.
    func wait() -> Result {
        queue.sync {}
        lock.withLock {}
        var result = Result(tables: orderedTables.union(tables.keys))
        result.failed = failure == nil ? applier.failed : result.tables
        if failure == nil {
            result.ordered = outcomes
        } else {
            discardFeeds()
        }
        return result
    }

    /// Returns when nothing goes on any more. The views are the caller's again, and not whole.
    func cancel() {
        lock.withLock { isCancelled = true }
        queue.sync {}
        lock.withLock { feeds += arrivingFeeds }
        discardFeeds()
    }

    private func discardFeeds() {
        for (feed, _) in feeds { feed.discard() }
    }
}

/// A chunk of a commit to be, where it stands in the log.
struct StagedFrame: Hashable {
    var offset: UInt64
    var size: UInt64
    /// The tables that it changes.
    var tables: Set<TableNumber>
}

/// Reads back frames that this process wrote just now: one reading each, into the same memory.
struct Readback {
    private var memory = DataBuffer()
    /// Where sealed operations are opened to; `nil`: there are none.
    private var opened: OpenedRecord?

    /// A larger frame, mostly one large value, is not copied but mapped: 4 MiB.
    private static let leastMapped: UInt64 = 4 << 20

    init() { memory.sizeLimit = .max }

    /// Calls `body` with the operations in the frame.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` if what is there is not what was written.
    mutating func read(
        _ staged: StagedFrame, from file: OpenFile, _ files: any FileLayer, _ store: UInt64,
        _ segment: UInt64, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(BackendError) {
        let size = Int(staged.size)
        let room = opened ?? OpenedRecord()
        // Of a large frame nothing stays behind.
        opened = files.sealer == nil || staged.size > Self.leastMapped ? nil : room
        if staged.size > Self.leastMapped,
            let stretch = FileStretch(file, at: staged.offset, count: size)
        {
            try withExtendedLifetime(stretch) { () throws(BackendError) in
                body(
                    try Self.operations(
                        of: staged, stretch.bytes, file, store, segment, files.sealer, room))
            }
            return
        }
        memory.removeAll()
        memory.reserve(size)
        memory.resize(to: size)
        let bytes = memory.memory
        let count = try files.read(file, at: staged.offset, into: bytes)
        guard count == size else { throw .corrupt(path: file.path, offset: staged.offset) }
        body(
            try Self.operations(
                of: staged, UnsafeRawBufferPointer(bytes), file, store, segment, files.sealer, room)
        )
        // Of a large frame nothing stays behind.
        memory.removeAll()
    }

    /// - Parameter room: where operations are opened to that are sealed.
    static func operations(
        of staged: StagedFrame, _ bytes: UnsafeRawBufferPointer, _ file: OpenFile, _ store: UInt64,
        _ segment: UInt64, _ sealer: (any Sealer)?, _ room: OpenedRecord
    ) throws(BackendError) -> UnsafeRawBufferPointer {
        guard bytes.count >= FrameHeader.size + FrameHeader.trailerSize,
            let base = bytes.baseAddress,
            let (header, sum) = FrameHeader.read(
                base, store: store, segment: segment, offset: staged.offset),
            header.frameSize == staged.size
        else { throw .corrupt(path: file.path, offset: staged.offset) }
        let operations = UnsafeRawBufferPointer(
            start: base + FrameHeader.size, count: Int(header.length))
        guard
            operations.checksum(from: sum)
                == base.get(UInt32.self, at: FrameHeader.size + operations.count)
        else { throw .corrupt(path: file.path, offset: staged.offset) }
        guard let sealer else { return operations }
        guard let opened = sealer.open(operations, of: header, store: store, in: room) else {
            throw .corrupt(path: file.path, offset: staged.offset)
        }
        return opened
    }
}
