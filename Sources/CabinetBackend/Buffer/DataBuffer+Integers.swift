extension DataBuffer {
    // The fixed-width forms below are what users call; these two do the work.

    @inlinable @inline(__always)
    final func append<Value: FixedWidthInteger>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        guard reserveBytes(size) else { return }
        (base + end).storeBytes(of: value.littleEndian, as: Value.self)
        end &+= size
    }

    @inlinable @inline(__always)
    final func take<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) throws(DataBufferError) -> Value {
        let size = MemoryLayout<Value>.size
        try check(size)
        let value = (base + cursor).loadUnaligned(as: Value.self)
        cursor &+= size
        return Value(littleEndian: value)
    }

    /// Appends one byte.
    @inlinable public final func writeUInt8(_ value: UInt8) { append(value) }
    /// Appends 2 bytes, little-endian.
    @inlinable public final func writeUInt16(_ value: UInt16) { append(value) }
    /// Appends 4 bytes, little-endian.
    @inlinable public final func writeUInt32(_ value: UInt32) { append(value) }
    /// Appends 8 bytes, little-endian.
    @inlinable public final func writeUInt64(_ value: UInt64) { append(value) }
    /// Appends one byte, two's complement.
    @inlinable public final func writeInt8(_ value: Int8) { append(value) }
    /// Appends 2 bytes, little-endian two's complement.
    @inlinable public final func writeInt16(_ value: Int16) { append(value) }
    /// Appends 4 bytes, little-endian two's complement.
    @inlinable public final func writeInt32(_ value: Int32) { append(value) }
    /// Appends 8 bytes, little-endian two's complement.
    @inlinable public final func writeInt64(_ value: Int64) { append(value) }
    /// Appends 16 bytes, little-endian.
    @inlinable public final func writeUInt128(_ value: UInt128) { append(value) }
    /// Appends 16 bytes, little-endian two's complement.
    @inlinable public final func writeInt128(_ value: Int128) { append(value) }
    /// Appends 8 bytes whatever the machine's word is: the same as ``writeInt64(_:)``.
    @inlinable public final func writeInt(_ value: Int) { append(Int64(value)) }
    /// Appends 8 bytes whatever the machine's word is: the same as ``writeUInt64(_:)``.
    @inlinable public final func writeUInt(_ value: UInt) { append(UInt64(value)) }

    /// Appends one byte, 0 or 1.
    @inlinable public final func writeBool(_ value: Bool) { append(value ? 1 as UInt8 : 0) }
}

/// All of these throw ``DataBufferError/truncated(needed:remaining:)``, in bytes, and do not move
/// when too few bytes are left.
extension DataBuffer {
    /// Reads one byte.
    @inlinable public final func readUInt8() throws(DataBufferError) -> UInt8 {
        try take(UInt8.self)
    }
    /// Reads 2 bytes, little-endian.
    @inlinable public final func readUInt16() throws(DataBufferError) -> UInt16 {
        try take(UInt16.self)
    }
    /// Reads 4 bytes, little-endian.
    @inlinable public final func readUInt32() throws(DataBufferError) -> UInt32 {
        try take(UInt32.self)
    }
    /// Reads 8 bytes, little-endian.
    @inlinable public final func readUInt64() throws(DataBufferError) -> UInt64 {
        try take(UInt64.self)
    }
    /// Reads one byte, two's complement.
    @inlinable public final func readInt8() throws(DataBufferError) -> Int8 {
        try take(Int8.self)
    }
    /// Reads 2 bytes, little-endian two's complement.
    @inlinable public final func readInt16() throws(DataBufferError) -> Int16 {
        try take(Int16.self)
    }
    /// Reads 4 bytes, little-endian two's complement.
    @inlinable public final func readInt32() throws(DataBufferError) -> Int32 {
        try take(Int32.self)
    }
    /// Reads 8 bytes, little-endian two's complement.
    @inlinable public final func readInt64() throws(DataBufferError) -> Int64 {
        try take(Int64.self)
    }
    /// Reads 16 bytes, little-endian.
    @inlinable public final func readUInt128() throws(DataBufferError) -> UInt128 {
        try take(UInt128.self)
    }
    /// Reads 16 bytes, little-endian two's complement.
    @inlinable public final func readInt128() throws(DataBufferError) -> Int128 {
        try take(Int128.self)
    }
    /// Reads 8 bytes. A value beyond the machine's word is
    /// ``DataBufferError/invalidValue(type:offset:)``.
    @inlinable public final func readInt() throws(DataBufferError) -> Int {
        let start = cursor
        if let value = Int(exactly: try take(Int64.self)) { return value }
        cursor = start
        throw .invalidValue(type: "Int", offset: position)
    }
    /// Reads 8 bytes. A value beyond the machine's word is
    /// ``DataBufferError/invalidValue(type:offset:)``.
    @inlinable public final func readUInt() throws(DataBufferError) -> UInt {
        let start = cursor
        if let value = UInt(exactly: try take(UInt64.self)) { return value }
        cursor = start
        throw .invalidValue(type: "UInt", offset: position)
    }

    /// Reads one byte, 0 or 1. Any other is ``DataBufferError/invalidValue(type:offset:)``.
    @inlinable public final func readBool() throws(DataBufferError) -> Bool {
        try check(1)
        let byte = base.load(fromByteOffset: cursor, as: UInt8.self)
        guard byte <= 1 else { throw .invalidValue(type: "Bool", offset: position) }
        cursor &+= 1
        return byte == 1
    }
}
