import CabinetBackend

/// The end of the log, where commits are appended.
///
/// What was acknowledged is never given up: when a write or a sync fails, the segment is sealed
/// off by a successor whose head says where it ends, and which is durable before it is used.
/// Not `Sendable`: whoever has the writer's turn uses it.
final class Journal {
    /// A segment that is written, or was and may not be durable yet.
    struct Segment {
        var number: UInt64
        var file: OpenFile
        /// Where the acknowledged frames end.
        var end: UInt64
        /// Where those end that are known to be durable.
        var syncedEnd: UInt64
    }

    /// What went wrong with the current segment.
    enum Fault {
        /// Frames that were not acknowledged may stand behind the end.
        case append
        /// Nobody knows what of the frames is on the device.
        case sync
    }

    let files: any FileLayer
    let paths: StorePaths
    let store: UInt64
    let durability: Durability

    private(set) var lastLSN: CommitNumber
    private(set) var syncedLSN: CommitNumber
    var current: Segment?
    /// Segments before the current one with frames that are not known to be durable.
    private(set) var unsynced: [Segment] = []
    private(set) var fault: Fault?
    /// Set once this stretch of use has said where it takes place.
    private(set) var session: SessionRecord?
    /// The chunks of a commit to be, behind the current segment's end.
    private(set) var staged: Staged?
    /// The bytes of all commits in segments that a snapshot does not replace yet.
    var appendedBytes: UInt64 = 0

    private var highestSegment: UInt64
    private var reserved: UInt64 = 0

    struct Staged {
        var end: UInt64
        var count: UInt32 = 0
        var sum: UInt32 = 0
    }

    /// - Parameter highestSegment: the highest number that any file ever used.
    init(
        files: any FileLayer, paths: StorePaths, store: UInt64, durability: Durability,
        lastLSN: CommitNumber, syncedLSN: CommitNumber, highestSegment: UInt64, current: Segment?
    ) {
        self.files = files
        self.paths = paths
        self.store = store
        self.durability = durability
        self.lastLSN = lastLSN
        self.syncedLSN = syncedLSN
        self.highestSegment = highestSegment
        self.current = current
        reserved = current?.end ?? 0
    }

    /// Whether everything acknowledged is durable.
    var isSynced: Bool { syncedLSN == lastLSN && fault == nil }

    // MARK: A stretch of use

    /// Makes the log ready for appending. Before the first commit of a stretch of use the clean
    /// marker goes, for good, and the log says where the stretch takes place.
    ///
    /// - Parameter sealing: whether a segment is made that is missing; needed before a commit.
    func prepare(
        _ newSession: @autoclosure () throws(BackendError) -> SessionRecord,
        tables: @autoclosure () -> [TableState], sealing: Bool = true
    ) throws(BackendError) {
        if session == nil {
            let begun = try newSession()
            try files.remove(paths.clean)
            try files.syncDirectory(paths.journal)
            if current != nil, fault == nil {
                let buffer = DataBuffer()
                begun.write(to: buffer)
                try append(.session, buffer)
            }
            session = begun
        }
        if sealing, current == nil || fault != nil { try seal(tables: tables()) }
    }

    /// Takes note of a stretch that recovery has begun at the head of a new segment.
    func adopt(session: SessionRecord) { self.session = session }

    /// Takes over the log of a store that was adopted just now.
    func adopt(session: SessionRecord, lsn: CommitNumber, _ segment: Segment) {
        self.session = session
        lastLSN = lsn
        syncedLSN = lsn
        highestSegment = segment.number
        current = segment
        reserved = segment.end
    }

    private func append(_ kind: FrameKind, _ body: DataBuffer) throws(BackendError) {
        let room = DataBuffer()
        room.reserve(FrameHeader.size + body.count + FrameHeader.trailerSize)
        room.extend(to: FrameHeader.size)
        body.withUnsafeBytes { room.writeRawBytes($0) }
        room.extend(to: room.memory.count + FrameHeader.trailerSize)
        guard let end = current?.end else { return }
        let size = try write(room.memory, kind: kind, lsn: lastLSN, at: end)
        current?.end = end + size
    }

    // MARK: Writing frames

    /// Fills in header and trailer of a frame that lies in `memory`, body included, and writes
    /// it. Returns its size.
    private func write(
        _ memory: UnsafeMutableRawBufferPointer, kind: FrameKind, lsn: CommitNumber,
        at offset: UInt64, flags: FrameFlags = [], tables: UInt64 = 0
    ) throws(BackendError) -> UInt64 {
        guard let current, let base = memory.baseAddress else {
            throw .journalUnusable(path: paths.journal)
        }
        let length = memory.count - FrameHeader.size - FrameHeader.trailerSize
        let header = FrameHeader(
            kind: kind, flags: flags, length: UInt64(length), lsn: lsn, syncedLSN: syncedLSN,
            time: SystemClock.microseconds(), tables: tables, offset: offset,
            segment: current.number, chunks: staged?.count ?? 0,
            chunkSum: kind == .commit ? staged?.sum ?? 0 : 0)
        let body = UnsafeRawBufferPointer(start: base + FrameHeader.size, count: length)
        let sum = body.checksum(from: header.write(to: base, store: store))
        base.put(sum, at: FrameHeader.size + length)
        let chunkSum = ChunkSum.adding(sum, to: staged?.sum ?? 0)
        if kind == .chunk { staged?.sum = chunkSum }
        try reserve(offset + UInt64(memory.count))
        do throws(BackendError) {
            try files.write(UnsafeRawBufferPointer(memory), to: current.file, at: offset)
        } catch {
            fault = .append
            throw error
        }
        return UInt64(memory.count)
    }

    /// Sees that there is room up to `end`, and a little more where the disk allows it.
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
        guard let current else { throw .journalUnusable(path: paths.journal) }
        if staged == nil { staged = Staged(end: current.end) }
        let offset = staged?.end ?? current.end
        let size = try write(frame, kind: .chunk, lsn: lastLSN + 1, at: offset, tables: tables)
        staged?.end = offset + size
        staged?.count += 1
    }

    /// Takes back the chunks of a commit that will not be.
    func dropStaged(tables: @autoclosure () -> [TableState]) {
        guard staged != nil, let current else { return }
        staged = nil
        reserved = current.end
        do {
            if fault == nil { try files.truncate(current.file, to: current.end) }
        } catch {
            fault = .append
        }
        try? sealIfFaulty(tables: tables())
    }

    /// Appends the last frame of a commit and, at ``Durability/full``, syncs it: then the commit
    /// exists. After a throw it does not.
    func commit(
        _ frame: UnsafeMutableRawBufferPointer, flags: FrameFlags, tables: UInt64,
        states: @autoclosure () -> [TableState]
    ) throws(BackendError) -> CommitNumber {
        guard let start = staged?.end ?? current?.end else {
            throw .journalUnusable(path: paths.journal)
        }
        let lsn = lastLSN + 1
        do throws(BackendError) {
            let size = try write(
                frame, kind: .commit, lsn: lsn, at: start,
                flags: durability == .full ? flags.union(.full) : flags, tables: tables)
            if durability == .full, let file = current?.file {
                try syncOrMark(file)
                syncedLSN = lsn
                current?.syncedEnd = start + size
            }
            appendedBytes += start + size - (current?.end ?? 0)
            current?.end = start + size
        } catch {
            // The save has failed for this reason. Whether the seal succeeds decides only what
            // the next save finds.
            staged = staged ?? Staged(end: start)
            dropStaged(tables: states())
            throw error
        }
        staged = nil
        lastLSN = lsn
        return lsn
    }

    private func syncOrMark(_ file: OpenFile) throws(BackendError) {
        do {
            try files.sync(file)
        } catch {
            fault = .sync
            throw error
        }
    }

    // MARK: Making durable

    /// Makes every commit durable. What a failing sync leaves in doubt is written anew and synced
    /// there, yet the error is thrown.
    func sync(tables: [TableState]) throws(BackendError) {
        try sealIfFaulty(tables: tables)
        guard syncedLSN < lastLSN else { return }
        do {
            for segment in unsynced { try syncOrMark(segment.file) }
            if let file = current?.file { try syncOrMark(file) }
        } catch {
            try? sealIfFaulty(tables: tables)
            throw error
        }
        noteSynced()
    }

    private func noteSynced() {
        unsynced = []
        syncedLSN = lastLSN
        if let end = current?.end { current?.syncedEnd = end }
    }

    /// Begins the next segment, so that this one changes no more.
    func roll(tables: [TableState]) throws(BackendError) { try seal(tables: tables) }

    private func sealIfFaulty(
        tables: @autoclosure () -> [TableState]
    ) throws(BackendError) {
        if fault != nil { try seal(tables: tables()) }
    }

    /// Makes the next segment. After a failed sync it takes over every acknowledged commit that
    /// is not known to be durable, for the pages that hold them cannot be believed.
    private func seal(tables: [TableState]) throws(BackendError) {
        let isUntrusted = fault == .sync
        var predecessor = current
        var stretches: [SegmentMaker.Stretch] = []
        var firstLSN = lastLSN + 1
        if isUntrusted {
            let doubtful = unsynced + (current.map { [$0] } ?? [])
            predecessor = doubtful.first
            firstLSN = syncedLSN + 1
            if syncedLSN < lastLSN {
                stretches = doubtful.map {
                    SegmentMaker.Stretch(segment: $0.number, start: $0.syncedEnd, end: $0.end)
                }
            }
        }
        if fault == nil { try? trim() }
        highestSegment += 1
        let header = SegmentHeader(
            store: store, segment: highestSegment, firstLSN: firstLSN,
            predecessor: predecessor?.number ?? 0,
            predecessorEnd: (isUntrusted ? predecessor?.syncedEnd : predecessor?.end) ?? 0,
            syncedLSN: syncedLSN, time: SystemClock.microseconds())
        let made: (file: OpenFile, end: UInt64)
        do {
            made = try SegmentMaker(files: files, paths: paths)
                .make(header, tables: tables, session: session, copying: stretches)
        } catch {
            // The successor may have its name by now, and says where this segment ends: nothing
            // may follow here, whatever the disk shows.
            let isFirst = fault == nil
            if current != nil { fault = fault ?? .append }
            if case .diskFull = error { throw error }
            throw isFirst ? error : .journalUnusable(path: paths.root)
        }
        if isUntrusted {
            unsynced = []
            syncedLSN = lastLSN
        } else if let current, current.syncedEnd < current.end, syncedLSN < lastLSN {
            unsynced.append(current)
        }
        current = Segment(
            number: highestSegment, file: made.file, end: made.end, syncedEnd: made.end)
        reserved = made.end
        fault = nil
    }

    /// Takes note that a durable snapshot holds all commits up to `lsn`, and that of the segments
    /// only those are left.
    func noteSnapshot(_ lsn: CommitNumber, segments: Set<UInt64>) {
        unsynced.removeAll { !segments.contains($0.number) }
        syncedLSN = max(syncedLSN, lsn)
    }

    /// Lets go of all files.
    func close() {
        current = nil
        unsynced = []
        staged = nil
    }

    /// Ends the use of the log, all of which is durable: gives back what was not used.
    func finish() throws(BackendError) {
        try trim()
        if let file = current?.file { try syncOrMark(file) }
    }

    /// Gives back what was reserved and not used.
    private func trim() throws(BackendError) {
        guard let current, reserved > current.end else { return }
        try files.truncate(current.file, to: current.end)
        reserved = current.end
    }
}
