import CabinetBackend

/// The CRC-32C over key and value that stands behind a value.
enum Checksum {
    @inline(__always)
    static func isRight(
        _ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer
    ) -> Bool {
        guard stored.count >= Operation.checksumSize, let base = stored.baseAddress else {
            return false
        }
        let length = stored.count - Operation.checksumSize
        let sum = UnsafeRawBufferPointer(start: base, count: length)
            .checksum(from: key.checksum())
        return sum == base.get(UInt32.self, at: length)
    }

    /// As ``isRight(_:_:)``, for a value in front of which its key of `keySize` bytes lies.
    @inline(__always)
    static func isRight(behindKey keySize: Int, _ stored: UnsafeRawBufferPointer) -> Bool {
        guard stored.count >= Operation.checksumSize, let base = stored.baseAddress else {
            return false
        }
        let length = stored.count &- Operation.checksumSize
        return UnsafeRawBufferPointer(start: base - keySize, count: keySize &+ length).checksum()
            == base.get(UInt32.self, at: length)
    }

    /// The value without the sum behind it.
    @inline(__always)
    static func value(of stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: stored.baseAddress, count: stored.count - Operation.checksumSize)
    }
}
