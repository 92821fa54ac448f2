/// Reads little-endian fields one after the other from bytes that may be damaged.
struct FieldReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - offset }

    /// The next bytes; `nil`, without moving, if there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= remaining else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// The next integer; `nil`, without moving, if there are too few bytes.
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) -> Value? {
        let size = MemoryLayout<Value>.size
        guard size <= remaining else { return nil }
        defer { offset += size }
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        return Value(littleEndian: value)
    }
}
