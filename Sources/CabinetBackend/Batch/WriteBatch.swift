import CChecksum

/// The changes of one save, in the order in which they are made, as the bytes that an engine
/// appends to its log and applies from.
///
/// Objects serialise straight into the batch's arena: between ``beginRecord(_:in:)`` and
/// ``endRecord()`` a ``DataBuffer`` is open at the right offset. A full chunk is handed to the sink
/// early, so that a save of any size takes memory for one chunk only.
///
/// Not `Sendable`: it belongs to its writer until it is committed.
public final class WriteBatch {
    /// A chunk is handed over when it has reached this many bytes: 1 MiB, which a processor's cache
    /// holds while it is written, summed and copied.
    public static let chunkLimit = 1 << 20
    /// Bytes left free before a chunk's first operation, for an engine's frame header.
    public static let headroom = 128

    /// Room for a small save. The system gives back and takes blocks of up to 1 KiB at once; a
    /// larger one costs a small save hundreds of instructions.
    private static let firstCapacity = 1000

    /// Where operations are written. Its bytes begin with the headroom.
    public let arena: DataBuffer
    /// How many operations there are, those in chunks handed over included.
    @exclusivity(unchecked) public internal(set) var operationCount: UInt64 = 0
    /// How many of the operations are notes.
    @exclusivity(unchecked) public internal(set) var noteCount: UInt64 = 0
    /// The author of the commit, a number that the caller chooses; 0: not given. An engine with a
    /// log keeps it with the commit. By itself it is no change.
    @exclusivity(unchecked) public var author: UInt32 = 0
    /// How many chunks were handed over.
    @exclusivity(unchecked) public private(set) var stagedChunks = 0
    /// What each table gets that the batch puts to or deletes from, in the order in which it first
    /// does. A table keeps its index while the batch grows, and the collection grows with it.
    public var usage: TableUsages {
        countLatest()
        return TableUsages(batch: self)
    }
    /// Whether the batch defines or drops a table.
    public var changesTables: Bool { !allDefinitions.isEmpty || !allDrops.isEmpty }
    /// The tables that the batch creates or redefines, in order.
    public var definitions: [TableDefinition] { allDefinitions }
    /// The tables that the batch drops, in order.
    public var drops: [TableNumber] { allDrops }
    // Engines read it many times a save, and would check a stored property's exclusivity.
    @exclusivity(unchecked) var allDefinitions: [TableDefinition] = []
    @exclusivity(unchecked) var allDrops: [TableNumber] = []

    /// Where full chunks go: how an engine knows a batch for its own.
    public let sink: (any ChunkSink)?
    @exclusivity(unchecked) private var sums = RowSums()
    @exclusivity(unchecked) private var start = WriteBatch.headroom
    @exclusivity(unchecked) private var row: RowID = 0
    /// The table that is being written to, and what it gets beyond what is counted.
    @exclusivity(unchecked) private(set) var table: TableNumber = 0
    @exclusivity(unchecked) var latest = TableUsage()
    @exclusivity(unchecked) var counted = UsageList()
    @exclusivity(unchecked) private var expected: [Int] = []
    /// The basis; the highest number for none.
    @exclusivity(unchecked) package var basisNumber = CommitNumber.max
    /// What else the batch asks of the state before it; `nil` for most.
    @exclusivity(unchecked) package var demands: Demands?

    /// The commit that the batch is based on: every row and key that the batch puts or deletes must
    /// be unchanged since. `nil`, the default: the batch replaces what is there.
    ///
    /// An engine knows what has changed since a commit as long as a reader frozen at that commit,
    /// or at an earlier one, is held; else the commit throws ``BackendError/changesGone(oldest:)``.
    /// The last commit can always be the basis, and costs nothing. Needs
    /// ``BackendFeatures/bases``. Additions refer to no basis. A new row may not be there, so it
    /// conflicts only if another batch took the same one.
    public var basis: CommitNumber? {
        get { basisNumber == .max ? nil : basisNumber }
        set { basisNumber = newValue ?? .max }
    }

    /// Whether ``basis`` must be the last commit: after any later one, whatever that has changed, the
    /// commit throws ``BackendError/conflict(_:)`` without a single conflict in it.
    ///
    /// For a writer that is alone and requires nothing of what it only refers to.
    @exclusivity(unchecked) public var requiresLastBasis = false

    /// A batch whose full chunks go to `sink`; without one it grows in memory.
    public init(sink: (any ChunkSink)? = nil) {
        self.sink = sink
        arena = DataBuffer(capacity: Self.firstCapacity)
        arena.sizeLimit = .max
        resetChunk()
    }

    /// Tells how many values a table is going to get, as far as is known before they are written.
    /// An engine may begin a new table by it; nothing goes wrong if it is not true. A number below 1 says
    /// nothing.
    public func expect(_ puts: Int, in table: TableNumber) {
        guard puts > 0 else { return }
        let index = table.index
        if index >= expected.count {
            expected.append(contentsOf: repeatElement(0, count: index + 1 - expected.count))
        }
        expected[index] = puts
    }

    /// How many values a table is going to get, as the writer announced; 0 if it did not.
    public func expectedPuts(in table: TableNumber) -> Int {
        table.index < expected.count ? expected[table.index] : 0
    }

    /// Whether there is nothing to commit: no change, no note and no addition. A batch that only
    /// requires something is empty.
    public var isEmpty: Bool { operationCount == 0 && demands?.changesNothing ?? true }

    /// The operations that were not handed over yet, behind ``headroom`` free bytes. With
    /// `trailer` more bytes at the end, free too. Traps for a negative number, and where there is no memory
    /// for that many.
    public func chunk(trailer: Int = 0) -> UnsafeMutableRawBufferPointer {
        precondition(trailer >= 0, "A chunk has no \(trailer) bytes at its end.")
        arena.reserve(arena.memory.count + trailer)
        let memory = arena.memory
        return UnsafeMutableRawBufferPointer(
            start: memory.baseAddress, count: memory.count + trailer)
    }

    /// How many bytes of operations the current chunk holds.
    public var chunkSize: Int { arena.memory.count - Self.headroom }

    /// Empties a batch that was committed, to be filled for the next commit of the same backend.
    ///
    /// To make a batch and free it is a fifth of what a small save does. It keeps its memory: one
    /// that has grown large is better freed.
    public func removeAll() {
        operationCount = 0
        noteCount = 0
        author = 0
        stagedChunks = 0
        if changesTables {
            allDefinitions = []
            allDrops = []
        }
        latest = TableUsage()
        counted.removeAll()
        basisNumber = .max
        requiresLastBasis = false
        if demands != nil { demands = nil }
        if !expected.isEmpty { expected = [] }
        resetChunk()
    }

    /// Begins the next chunk; the engine has taken the current one.
    public func startNextChunk() {
        stagedChunks += 1
        resetChunk()
    }

    private func resetChunk() {
        arena.removeAll()
        arena.reserve(Self.headroom)
        arena.resize(to: Self.headroom)
    }

    // MARK: Rows

    /// Begins the value of `row`: what is written to the returned buffer until ``endRecord()`` or
    /// ``cancelRecord()``. A row written before is replaced.
    public func beginRecord(_ row: RowID, in table: TableNumber) -> DataBuffer {
        openRecord(row, in: table)
        return arena
    }

    /// Likewise, for callers that have ``arena`` already: returning it counts a reference.
    package func openRecord(_ row: RowID, in table: TableNumber) {
        start = arena.count
        if table != self.table { turn(to: table) }
        self.row = row
        if let header = arena.extend(by: Self.rowHeader) {
            header.storeBytes(of: Operation.Kind.putRow, as: UInt8.self)
            (header + 1).storeBytes(of: table.rawValue.littleEndian, as: UInt16.self)
            (header + 3).storeBytes(of: row.rawValue.littleEndian, as: UInt32.self)
        }
        arena.openRecord(at: start + Self.rowHeader)
    }

    /// Ends the value. If the buffer holds a `writeError`, call ``cancelRecord()`` instead.
    /// - Throws: what the sink throws for a full chunk; the batch can only be discarded then.
    public func endRecord() throws(BackendError) {
        let length = arena.count
        arena.closeRecord()
        let room = reserveBytes(Operation.checksumSize)
        let value = room - length
        (value - 4).storeBytes(of: UInt32(truncatingIfNeeded: length).littleEndian, as: UInt32.self)
        let (sum, keyLength) = sums.sum(of: row, value, length)
        room.storeBytes(of: sum.littleEndian, as: UInt32.self)
        count(put: keyLength &+ length &+ Operation.checksumSize, row: row)
        try handOverIfFull()
    }

    /// Takes back what was written since ``beginRecord(_:in:)``, and its `writeError`.
    public func cancelRecord() {
        arena.closeRecord()
        arena.resize(to: start)
        arena.clearWriteError()
    }

    /// Removes `row`. Removing a row that is not there is no error.
    public func deleteRow(_ row: RowID, in table: TableNumber) throws(BackendError) {
        if table != self.table { turn(to: table) }
        arena.writeUInt8(Operation.Kind.deleteRow)
        arena.writeUInt16(table.rawValue)
        arena.writeUInt32(row.rawValue)
        countDelete()
        try handOverIfFull()
    }

    // MARK: Keys

    /// Sets the value under `key` in an ordered or named table.
    /// - Throws: ``BackendError/tooLarge(limit:)`` when key and value together are larger than a
    ///   record may be; nothing was added. Otherwise what the sink throws for a full chunk.
    public func put(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) {
        guard value.count <= DataBuffer.recordLimit - key.count else {
            throw .tooLarge(limit: DataBuffer.recordLimit)
        }
        if table != self.table { turn(to: table) }
        let size = Self.keyHeader + key.count + value.count + Operation.checksumSize
        let header = reserveBytes(size)
        header.storeBytes(of: Operation.Kind.putKey, as: UInt8.self)
        (header + 1).storeBytes(of: table.rawValue.littleEndian, as: UInt16.self)
        (header + 3).storeBytes(of: UInt32(key.count).littleEndian, as: UInt32.self)
        (header + 7).storeBytes(of: UInt32(value.count).littleEndian, as: UInt32.self)
        let both = header + Self.keyHeader
        if let bytes = key.baseAddress { both.copyMemory(from: bytes, byteCount: key.count) }
        if let bytes = value.baseAddress {
            (both + key.count).copyMemory(from: bytes, byteCount: value.count)
        }
        let length = key.count + value.count
        (both + length).storeBytes(
            of: cabinet_crc32c(0, both, length).littleEndian, as: UInt32.self)
        count(put: length + Operation.checksumSize, row: 0)
        try handOverIfFull()
    }

    /// Removes `key`. Removing a key that is not there is no error.
    public func deleteKey(
        _ key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) {
        if table != self.table { turn(to: table) }
        arena.writeUInt8(Operation.Kind.deleteKey)
        arena.writeUInt16(table.rawValue)
        arena.writeUInt32(UInt32(key.count))
        arena.writeRawBytes(key)
        countDelete()
        try handOverIfFull()
    }

    @inline(__always)
    private func reserveBytes(_ count: Int) -> UnsafeMutableRawPointer {
        guard let room = arena.extend(by: count) else {
            preconditionFailure("A record that could not be written must be cancelled.")
        }
        return room
    }

    // MARK: Counting

    /// The bytes of a row operation before its value.
    private static let rowHeader = 11
    /// The bytes of a put of a key before the key.
    private static let keyHeader = 11

    @inline(__always)
    private func count(put bytes: Int, row: RowID) {
        operationCount &+= 1
        latest.puts &+= 1
        latest.bytes &+= bytes
        if row > latest.highestRow { latest.highestRow = row }
    }

    private func countDelete() {
        operationCount += 1
        latest.deletes += 1
    }

    /// Counts are kept apart for one table at a time: a look-up a record would be many.
    private func turn(to table: TableNumber) {
        countLatest()
        self.table = table
    }

    @inline(__always)
    func handOverIfFull() throws(BackendError) {
        guard arena.memory.count >= Self.chunkLimit, let sink, !isResolving else { return }
        try sink.stage(self)
    }
}
