import CChecksum
import CabinetBackend

extension UnsafeMutableRawPointer {
    /// Stores an integer little-endian, at any offset.
    @inline(__always)
    func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }
}

extension UnsafeRawPointer {
    /// Loads a little-endian integer from any offset.
    @inline(__always)
    func get<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type = Value.self, at offset: Int
    ) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}

extension UnsafeRawBufferPointer {
    /// The CRC-32C of the bytes, going on from `seed`.
    @inline(__always)
    package func checksum(from seed: UInt32 = 0) -> UInt32 {
        cabinet_crc32c(seed, baseAddress, count)
    }
}

/// The sum of integers, little-endian: a seed that binds the bytes that follow to their position.
@inline(__always)
func checksum(of values: UInt64...) -> UInt32 {
    values.reduce(0) { sum, value in
        withUnsafeBytes(of: value.littleEndian) { $0.checksum(from: sum) }
    }
}

extension [UInt8] {
    /// Appends the bytes of `value`, lowest first.
    mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
