import CChecksum
import CabinetBackend

/// A value as it stands in a table: with the CRC-32C over key and value behind it, as a batch has it.
package enum StoredValue {
    /// Without the CRC.
    @inline(__always)
    package static func value(_ stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: stored.baseAddress, count: max(stored.count - Operation.checksumSize, 0))
    }

    /// Whether this is what was put at a row: the key is the row's number in decimal digits.
    package static func isSound(_ stored: UnsafeRawBufferPointer, of row: RowID) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalKey.longest) { room in
            guard let digits = room.baseAddress else { return false }
            let first = DecimalKey.write(row, to: digits)
            return isSound(
                stored,
                of: UnsafeRawBufferPointer(
                    start: digits + first, count: DecimalKey.longest - first))
        }
    }

    /// Whether this is what was put under a key.
    package static func isSound(
        _ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer
    ) -> Bool {
        let count = stored.count - Operation.checksumSize
        guard count >= 0, let base = stored.baseAddress else { return false }
        let sum = cabinet_crc32c(
            cabinet_crc32c(0, key.baseAddress, key.count), base, count)
        let wanted = stored.loadUnaligned(fromByteOffset: count, as: UInt32.self)
        return sum == UInt32(littleEndian: wanted)
    }
}
