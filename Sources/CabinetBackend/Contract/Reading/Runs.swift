/// Rows and their values, copied out of an engine; reused from step to step of a walk.
public final class RecordRun {
    /// An engine stops adding when a run has reached this many bytes: 256 KiB.
    public static let fullSize = 256 << 10

    @usableFromInline let bytes: DataBuffer

    /// An empty run. It takes 260 KiB at once, so make one and reuse it.
    public convenience init() { self.init(capacity: RecordRun.fullSize + 4096) }

    /// An empty run for what is mostly little: it grows as it must.
    /// - Parameter capacity: how many bytes it takes at once.
    public init(capacity: Int) {
        bytes = DataBuffer(capacity: capacity)
        bytes.sizeLimit = .max
    }

    /// How many bytes of memory it takes.
    package var capacity: Int { bytes.capacity }

    /// Whether it is time to hand the run over.
    @inlinable public var isFull: Bool { bytes.count >= Self.fullSize }
    /// Whether the run holds nothing.
    @inlinable public var isEmpty: Bool { bytes.count == 0 }
    /// How many bytes rows and values take.
    package var size: Int { bytes.count }

    /// Empties the run and keeps its memory.
    public func removeAll() { bytes.removeAll() }

    /// For engines: adds a row and its value, without checksum.
    @inlinable
    public func append(_ row: RowID, _ value: UnsafeRawBufferPointer) {
        bytes.appendRow(row, value)
    }

    /// The next row not taken yet, or `nil` at the end. The value lives until the run changes.
    @inlinable
    public func next() -> (row: RowID, value: UnsafeRawBufferPointer)? {
        guard bytes.remaining > 0 else { return nil }
        let (row, value) = bytes.takeRow()
        return (row, value)
    }
}

/// Keys and their values, copied out of an engine; reused from step to step of a walk.
public final class EntryRun {
    @usableFromInline let bytes: DataBuffer

    /// An empty run. It takes 260 KiB at once, so make one and reuse it.
    public convenience init() { self.init(capacity: RecordRun.fullSize + 4096) }

    /// An empty run for what is mostly little: it grows as it must.
    /// - Parameter capacity: how many bytes it takes at once.
    public init(capacity: Int) {
        bytes = DataBuffer(capacity: capacity)
        bytes.sizeLimit = .max
    }

    /// Whether it is time to hand the run over.
    @inlinable public var isFull: Bool { bytes.count >= RecordRun.fullSize }
    /// Whether the run holds nothing.
    @inlinable public var isEmpty: Bool { bytes.count == 0 }

    /// Empties the run and keeps its memory.
    public func removeAll() { bytes.removeAll() }

    /// For engines: adds a key and its value, without checksum.
    @inlinable
    public func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        bytes.writeCounted(key)
        bytes.writeCounted(value)
    }

    /// The next entry not taken yet, or `nil` at the end. The bytes live until the run changes.
    @inlinable
    public func next() -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard bytes.remaining > 0 else { return nil }
        let key = bytes.takeCounted()
        return (key, bytes.takeCounted())
    }
}

extension DataBuffer {
    /// A row and a counted value, with one look at the room.
    @inlinable @inline(__always)
    final func appendRow(_ row: RowID, _ value: UnsafeRawBufferPointer) {
        let length = value.count
        guard reserveBytes(8 &+ length) else { return }
        let start = base + end
        start.storeBytes(of: row.rawValue.littleEndian, as: UInt32.self)
        (start + 4).storeBytes(
            of: UInt32(truncatingIfNeeded: length).littleEndian, as: UInt32.self)
        if length > 0, let source = value.baseAddress {
            (start + 8).copyMemory(from: source, byteCount: length)
        }
        end &+= 8 &+ length
    }

    // Runs hold only what they wrote themselves, so these need not check.

    @inlinable
    final func takeRow() -> (RowID, UnsafeRawBufferPointer) {
        let row = RowID(UInt32(littleEndian: (base + cursor).loadUnaligned(as: UInt32.self)))
        cursor &+= 4
        return (row, takeCounted())
    }

    @inlinable
    final func takeCounted() -> UnsafeRawBufferPointer {
        let length = Int(UInt32(littleEndian: (base + cursor).loadUnaligned(as: UInt32.self)))
        defer { cursor &+= 4 &+ length }
        return UnsafeRawBufferPointer(start: base + (cursor &+ 4), count: length)
    }
}
