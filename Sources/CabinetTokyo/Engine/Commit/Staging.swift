import CabinetBackend

/// Takes the full chunks of one batch into the log.
final class Staging: ChunkSink {
    private let backend: TokyoBackend
    /// Why a chunk could not be taken; the batch can only be discarded then.
    @exclusivity(unchecked) private(set) var failure: BackendError?
    @exclusivity(unchecked) private var hasStaged = false

    init(_ backend: TokyoBackend) { self.backend = backend }

    func stage(_ batch: WriteBatch) throws(BackendError) {
        if let failure { throw failure }
        do {
            try backend.stage(batch, owner: self)
            hasStaged = true
        } catch {
            failure = error
            throw error
        }
    }

    func end() { hasStaged = false }

    // A batch that was neither committed nor discarded must not keep the turn for ever.
    deinit { if hasStaged { backend.giveUp(self) } }
}

extension TokyoBackend {
    public func makeBatch() -> WriteBatch { WriteBatch(sink: Staging(self)) }

    public func discard(_ batch: WriteBatch) {
        guard let owner = batch.sink as? Staging else { return }
        owner.end()
        giveUp(owner)
    }

    /// Takes back what was staged and gives back the turn, if it is `owner`'s.
    func giveUp(_ owner: AnyObject) {
        // In a forked process the batch and what it has written are the parent's.
        guard process.isCurrent, turn.isHeld(by: owner) else { return }
        abandonForerunner()
        commitLog.dropStaged(tables: tableStates)
        draft = nil
        forgetStaged()
        turn.giveBack(owner)
    }

    /// Takes note that no chunk of a commit to be is in the log.
    func forgetStaged() {
        guard !staged.isEmpty else { return }
        staged = []
        stagedTables = []
        stagedUsage = []
        isForerunnerOver = false
    }

    /// Writes a full chunk to the log. The batch has the turn from now on.
    func stage(_ batch: WriteBatch, owner: Staging) throws(BackendError) {
        try checkWritable()
        try turn.take(for: owner)
        do throws(BackendError) {
            try stageChunk(of: batch)
            turn.keep()
        } catch {
            giveUp(owner)
            throw error
        }
    }

    /// Writes the current chunk to the log, and has its changes of new tables made; with the turn.
    private func stageChunk(of batch: WriteBatch) throws(BackendError) {
        try prepareLog()
        try check(batch)
        guard let end = commitLog.staged?.end ?? commitLog.current?.end else {
            throw .logUnusable(path: location)
        }
        try commitLog.stage(Self.frame(of: batch), tables: Self.bitmap(of: batch))
        let frame = StagedFrame(
            offset: end, size: (commitLog.staged?.end ?? end) - end,
            tables: tablesOfChunk(of: batch))
        staged.append(frame)
        runAhead(batch, frame)
        writeBackLog(frame)
        batch.startNextChunk()
        draft?.startNextChunk()
    }

    /// What is put to new tables at the end of a large save is put to them like the rest, while the
    /// commit is synced.
    func stageRest(of batch: WriteBatch) throws(BackendError) {
        guard let forerunner,
            batch.chunkSize >= Self.leastRest || forerunner.hasFeeds && batch.chunkSize > 0
        else { return }
        try stageChunk(of: batch)
    }

    /// Less is applied sooner than it is handed over: 16 KiB.
    private static let leastRest = 16 << 10

    /// The tables that the current chunk changes, by what they get from the batch up to its end.
    private func tablesOfChunk(of batch: WriteBatch) -> Set<TableNumber> {
        var tables: Set<TableNumber> = []
        // Tables keep their indexes in the list.
        for (place, use) in batch.usage.enumerated() {
            let before = place < stagedUsage.count ? stagedUsage[place] : .init()
            guard use.puts > before.puts || use.deletes > before.deletes else { continue }
            tables.insert(use.table)
        }
        stagedUsage = Array(batch.usage)
        return tables
    }

    func checkWritable() throws(BackendError) {
        try checkProcess()
        try lock.reading { () throws(BackendError) in try checkOpen() }
        guard access == .readWrite else { throw .readOnly(path: location) }
    }

    /// Finds out whether the operations of the current chunk are possible.
    func check(_ batch: WriteBatch) throws(BackendError) {
        if draft == nil {
            draft = BatchDraft(
                of: KnownTables(
                    byNumber, retired: retired, highestAtOpening: highestAtOpening,
                    reused: counters.withLock { $0.reused }),
                // What salvage finds is worth keeping, whatever new keys may be.
                limits: sharesClassNumbers
                    ? BackendLimits(longestOrderedKey: .max) : limits,
                sharesClassNumbers: sharesClassNumbers || isLegacy)
        }
        try draft?.check(Self.operations(of: batch))
    }

    /// The operations of the current chunk.
    static func operations(of batch: WriteBatch) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(batch.chunk())[WriteBatch.headroom...])
    }

    /// The current chunk with room for the frame's header before it and its trailer behind it.
    static func frame(of batch: WriteBatch) -> UnsafeMutableRawBufferPointer {
        let chunk = batch.chunk(trailer: FrameHeader.trailerSize)
        return UnsafeMutableRawBufferPointer(
            rebasing: chunk[(WriteBatch.headroom - FrameHeader.size)...])
    }

    /// The tables that a batch changes, as a frame shows them.
    static func bitmap(of batch: WriteBatch) -> UInt64 {
        var bits: UInt64 = 0
        for use in batch.usage { bits |= 1 << UInt64(use.table.rawValue % 64) }
        guard batch.changesTables else { return bits }
        for definition in batch.definitions { bits |= 1 << UInt64(definition.number.rawValue % 64) }
        for number in batch.drops { bits |= 1 << UInt64(number.rawValue % 64) }
        return bits
    }
}
