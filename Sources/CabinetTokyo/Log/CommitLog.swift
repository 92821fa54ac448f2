import CabinetBackend

/// The end of the log, where commits are appended.
///
/// What was acknowledged is never given up: when a write or a sync fails, the segment is sealed
/// off by a successor whose head says where it ends, and which is durable before it is used.
/// Not `Sendable`: only the thread with the writer's turn uses it, so exclusivity is not checked
/// again.
final class CommitLog {
    /// A segment that is written, or was and may not be durable yet.
    struct Segment {
        var number: UInt64
        var file: OpenFile
        /// Where the acknowledged frames end.
        var end: UInt64
        /// Where those end that are known to be durable.
        var syncedEnd: UInt64
        /// Whether no commit may be appended: the segment is of another line.
        var isOutdated = false
    }

    /// What went wrong with the current segment.
    enum Fault {
        /// Frames that were not acknowledged may stand behind the end.
        case append
        /// Which of the frames are on the device is unknown.
        case sync
    }

    let files: any FileLayer
    let paths: StorePaths
    /// The store's number. It changes only when the first commit of another process is followed.
    @exclusivity(unchecked) private(set) var store: UInt64
    let durability: Durability
    /// When ``checkPlace()`` was called last.
    private var checked: UInt64 = 0
    /// So many microseconds saves at ``Durability/process`` go without it.
    private static let checkPause: UInt64 = 100_000
    /// The number of the line that the commits to come are of.
    let line: UInt64

    @exclusivity(unchecked) var lastCommit: CommitNumber
    @exclusivity(unchecked) var syncedCommit: CommitNumber
    /// When the frame was written that was written or taken last, in microseconds since 1970.
    @exclusivity(unchecked) var frameTime: UInt64 = 0
    /// The time of the next frames, while commits of a damaged store are made again; `nil`: the present.
    @exclusivity(unchecked) var givenTime: UInt64?
    @exclusivity(unchecked) var current: Segment?
    /// Segments before the current one with frames that are not known to be durable.
    @exclusivity(unchecked) var unsynced: [Segment] = []
    @exclusivity(unchecked) var fault: Fault?
    /// Set once the log has the session frame of this stretch of use.
    @exclusivity(unchecked) private(set) var session: SessionRecord?
    /// The chunks of a commit to be, behind the current segment's end.
    @exclusivity(unchecked) var staged: Staged?
    /// Commits whose frames stand behind the current segment's end: ``syncAppended()`` makes all of them.
    @exclusivity(unchecked) var appended: [Appended] = []
    /// The bytes of all commits in segments that a snapshot does not replace yet.
    @exclusivity(unchecked) var appendedBytes: UInt64 = 0

    @exclusivity(unchecked) var highestSegment: UInt64
    @exclusivity(unchecked) var reserved: UInt64 = 0
    @exclusivity(unchecked) var window = LogWindow()
    private let sealer: (any Sealer)?
    /// Where a sealed frame is made; `nil` before the first one.
    @exclusivity(unchecked) private var sealing: BlockMemory?

    struct Staged {
        var end: UInt64
        var count: UInt32 = 0
        var sum: UInt32 = 0
    }

    /// A commit whose frame was written, and that is not the log's last one yet.
    struct Appended {
        var number: CommitNumber
        /// Where its frame ends.
        var end: UInt64
        var time: UInt64
    }

    /// - Parameters:
    ///   - highestSegment: the highest number that any file ever used.
    ///   - line: the line that the commits to come go on with; `nil`: they begin one.
    init(
        files: any FileLayer, paths: StorePaths, store: UInt64, durability: Durability,
        lastCommit: CommitNumber, syncedCommit: CommitNumber, highestSegment: UInt64,
        current: Segment?, line: UInt64? = nil
    ) {
        self.line = line ?? UInt64.random(in: 1...UInt64.max)
        self.files = files
        sealer = files.sealer
        self.paths = paths
        self.store = store
        self.durability = durability
        self.lastCommit = lastCommit
        self.syncedCommit = syncedCommit
        self.highestSegment = highestSegment
        self.current = current
        reserved = current?.end ?? 0
    }

    // MARK: A stretch of use

    /// Makes the log ready for appending. Before the first commit of a stretch of use the clean
    /// marker is taken back, and a session frame is written. A segment of another line gets a
    /// successor.
    ///
    /// - Parameter sealing: whether a segment is made that is missing; needed before a commit.
    func prepare(
        _ newSession: @autoclosure () throws(BackendError) -> SessionRecord,
        tables: @autoclosure () -> [TableState], sealing: Bool = true
    ) throws(BackendError) {
        let isSuccessorDue = sealing && current?.isOutdated ?? true
        if session == nil {
            let begun = try newSession()
            try CleanMarker.revoke(files, paths, durability)
            if current != nil, fault == nil, !isSuccessorDue {
                let buffer = DataBuffer()
                begun.write(to: buffer)
                try append(.session, buffer)
            }
            session = begun
        }
        if isSuccessorDue || sealing && fault != nil { try seal(tables: tables()) }
    }

    /// Takes note of a stretch that recovery has begun at the head of a new segment.
    func begin(session: SessionRecord) { self.session = session }

    /// Takes over the log of a store that was adopted just now.
    func begin(session: SessionRecord, commitNumber: CommitNumber, _ segment: Segment) {
        self.session = session
        lastCommit = commitNumber
        syncedCommit = commitNumber
        highestSegment = segment.number
        current = segment
        reserved = segment.end
    }

    /// Takes note of a commit that another process has made, which is final, in the log of `store`.
    ///
    /// - Parameter segment: where the frames of the commit end; `nil`: in a snapshot.
    func follow(_ commitNumber: CommitNumber, of store: UInt64, in segment: Segment?) {
        self.store = store
        lastCommit = commitNumber
        syncedCommit = commitNumber
        highestSegment = max(highestSegment, segment?.number ?? 0)
        current = segment
    }

    private func append(_ kind: FrameKind, _ body: DataBuffer) throws(BackendError) {
        let room = DataBuffer()
        room.reserve(FrameHeader.size + body.count + FrameHeader.trailerSize)
        room.resize(to: FrameHeader.size)
        body.withUnsafeBytes { room.writeRawBytes($0) }
        room.resize(to: room.memory.count + FrameHeader.trailerSize)
        guard let end = current?.end else { return }
        let size = try write(room.memory, kind: kind, commitNumber: lastCommit, at: end)
        current?.end = end + size
    }

    // MARK: Writing frames

    /// Fills in header and trailer of a frame that lies in `memory`, body included, and writes
    /// it. Returns its size.
    func write(
        _ memory: UnsafeMutableRawBufferPointer, kind: FrameKind, commitNumber: CommitNumber,
        at offset: UInt64, flags: FrameFlags = [], tables: UInt64 = 0, author: UInt32 = 0
    ) throws(BackendError) -> UInt64 {
        guard let current, var base = memory.baseAddress else {
            throw .logUnusable(path: paths.log)
        }
        var length = memory.count - FrameHeader.size - FrameHeader.trailerSize
        let time = givenTime ?? SystemClock.microseconds()
        frameTime = time
        if durability == .full ? staged?.count ?? 0 == 0 : time &- checked >= Self.checkPause {
            try checkPlace()
            checked = time
        }
        var header = FrameHeader(
            kind: kind, flags: flags, length: UInt64(length), commitNumber: commitNumber,
            syncedCommit: syncedCommit,
            time: time, tables: tables, offset: offset,
            segment: current.number, chunks: staged?.count ?? 0,
            chunkSum: kind == .commit ? staged?.sum ?? 0 : 0, author: author)
        if let sealer, header.isOfSealedKind {
            base = try sealed(memory, &header, sealer)
            length = Int(header.length)
        }
        let body = UnsafeRawBufferPointer(start: base + FrameHeader.size, count: length)
        let sum = body.checksum(from: header.write(to: base, store: store))
        base.put(sum, at: FrameHeader.size + length)
        let chunkSum = ChunkSum.adding(sum, to: staged?.sum ?? 0)
        if kind == .chunk { staged?.sum = chunkSum }
        let frame = UnsafeRawBufferPointer(
            start: base, count: length + FrameHeader.size + FrameHeader.trailerSize)
        try reserve(offset + UInt64(frame.count))
        do throws(BackendError) {
            try put(frame, to: current.file, at: offset, time: time)
        } catch {
            fault = .append
            throw error
        }
        return UInt64(frame.count)
    }

    /// Seals the body of a frame that lies in `memory` to other memory, with room for header and trailer
    /// around it. Returns where that begins; the header says how long the body is now.
    private func sealed(
        _ memory: UnsafeMutableRawBufferPointer, _ header: inout FrameHeader, _ sealer: any Sealer
    ) throws(BackendError) -> UnsafeMutableRawPointer {
        let size = memory.count + SealedPiece.overhead
        // The memory of a large frame does not stay for small ones.
        if let sealing, sealing.capacity > 4 * max(size, WriteBatch.chunkLimit) {
            self.sealing = nil
        }
        let room: BlockMemory
        if let sealing {
            room = sealing
        } else {
            room = try BlockMemory(capacity: size, path: paths.log)
        }
        sealing = room
        try room.reserve(size, path: paths.log)
        let body = UnsafeRawBufferPointer(
            rebasing: memory[FrameHeader.size..<memory.count - FrameHeader.trailerSize])
        sealer.seal(body, of: header, store: store, to: room.base + FrameHeader.size)
        header.length += UInt64(SealedPiece.overhead)
        return room.base
    }

    private func put(
        _ frame: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64, time: UInt64
    ) throws(BackendError) {
        if durability == .process,
            let window = window.place(
                frame.count, in: file, at: offset, time: time, reserved: reserved, files)
        {
            return try files.write(frame, to: window, at: offset)
        }
        try files.write(frame, to: file, at: offset)
    }

    /// Reserves disk space up to `end`, and a little more where the disk allows it.
    private func reserve(_ end: UInt64) throws(BackendError) {
        guard let current, end > reserved else { return }
        let ample = end + min(max(end / 8, 1 << 20), 16 << 20)
        do {
            try files.reserve(current.file, upTo: ample)
            reserved = ample
        } catch {
            guard case .diskFull = error else { throw error }
            try files.reserve(current.file, upTo: end)
            reserved = end
        }
    }

    /// Writes a chunk of the next commit.
    func stage(_ frame: UnsafeMutableRawBufferPointer, tables: UInt64) throws(BackendError) {
        guard let current else { throw .logUnusable(path: paths.log) }
        if staged == nil { staged = Staged(end: current.end) }
        let offset = staged?.end ?? current.end
        let size = try write(
            frame, kind: .chunk, commitNumber: lastCommit.next, at: offset, tables: tables)
        staged?.end = offset + size
        staged?.count += 1
    }

    /// Takes back the chunks of a commit that will not be.
    func dropStaged(tables: @autoclosure () -> [TableState]) {
        guard staged != nil, let current else { return }
        staged = nil
        reserved = current.end
        window.close()
        do {
            if fault == nil { try files.truncate(current.file, to: current.end) }
        } catch {
            fault = .append
        }
        try? sealIfFaulty(tables: tables())
    }

    func syncOrMark(_ file: OpenFile) throws(BackendError) {
        do {
            try files.sync(file)
        } catch {
            fault = .sync
            throw error
        }
    }
}
