/// Rows and their values, copied out of an engine; reused from step to step of a walk.
public final class RecordRun {
    /// An engine stops adding when a run has reached this many bytes: 256 KiB.
    public static let fullSize = 256 << 10

    @usableFromInline let bytes = DataBuffer(capacity: RecordRun.fullSize + 4096)

    public init() { bytes.sizeLimit = .max }

    /// Whether it is time to hand the run over.
    @inlinable public var isFull: Bool { bytes.count >= Self.fullSize }
    @inlinable public var isEmpty: Bool { bytes.count == 0 }

    public func removeAll() { bytes.removeAll() }

    /// For engines: adds a row and its value, without checksum.
    @inlinable
    public func append(_ row: RowID, _ value: UnsafeRawBufferPointer) {
        bytes.writeUInt32(row)
        bytes.writeCounted(value)
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
    @usableFromInline let bytes = DataBuffer(capacity: RecordRun.fullSize + 4096)

    public init() { bytes.sizeLimit = .max }

    /// Whether it is time to hand the run over.
    @inlinable public var isFull: Bool { bytes.count >= RecordRun.fullSize }
    @inlinable public var isEmpty: Bool { bytes.count == 0 }

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
    // Runs hold only what they wrote themselves, so these need not check.

    @inlinable
    final func takeRow() -> (RowID, UnsafeRawBufferPointer) {
        let row = RowID(littleEndian: (base + cursor).loadUnaligned(as: UInt32.self))
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
