import CabinetBackend

/// Entries as bytes, one behind the other, all of one group.
///
/// | entry | bytes |
/// |---|---|
/// | of a row | UInt32 row, UInt32 length, value, CRC |
/// | of a key | UInt32 key length, UInt32 length, key, value, CRC |
///
/// Integers are little-endian. Value and CRC stand as in an ``Operation``; the length is that of
/// the value alone. The length 0xFFFFFFFF stands for a deleted row or key, and then neither value
/// nor CRC follows; a snapshot has none of these.
enum EntryCoder {
    static let headerSize = 8
    static let deleted = UInt32.max

    /// How many bytes `entry` takes.
    @inline(__always)
    static func size(of entry: TableEntry) -> Int {
        headerSize + entry.key.count + (entry.stored?.count ?? 0)
    }

    /// Whether the lengths of `entry` can be written down.
    @inline(__always)
    static func canEncode(_ entry: TableEntry) -> Bool {
        guard entry.key.count <= Int(UInt32.max) else { return false }
        guard let stored = entry.stored else { return true }
        return stored.count >= Operation.checksumSize
            && stored.count - Operation.checksumSize < Int(deleted)
    }

    /// Writes `entry`, which must be encodable, to `address`, where `size(of:)` bytes must be free.
    @inline(__always)
    static func encode(_ entry: TableEntry, to address: UnsafeMutableRawPointer) {
        var end = address + headerSize
        let first =
            entry.hasKey
            ? UInt32(truncatingIfNeeded: entry.key.count)
            : UInt32(truncatingIfNeeded: entry.prefix)
        address.put(first, at: 0)
        if let key = entry.key.baseAddress, entry.key.count > 0 {
            end.copyMemory(from: key, byteCount: entry.key.count)
            end += entry.key.count
        }
        var length = deleted
        if let stored = entry.stored, let source = stored.baseAddress {
            length = UInt32(truncatingIfNeeded: stored.count - Operation.checksumSize)
            end.copyMemory(from: source, byteCount: stored.count)
        }
        address.put(length, at: 4)
    }

    /// The entry at `offset`, which moves behind it; `nil`, without moving, if there is none whole.
    @inline(__always)
    static func decode(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, group: UInt32
    ) -> TableEntry? {
        guard bytes.count - offset >= headerSize else { return nil }
        guard let base = bytes.baseAddress else { return nil }
        let first = base.get(UInt32.self, at: offset)
        let length = base.get(UInt32.self, at: offset + 4)
        let start = offset + headerSize
        let keySize = group & 1 == 1 ? UInt64(first) : 0
        let storedSize =
            length == deleted ? 0 : UInt64(length) + UInt64(Operation.checksumSize)
        guard UInt64(bytes.count - start) >= keySize + storedSize else { return nil }
        let middle = start + Int(keySize)
        let end = middle + Int(storedSize)
        offset = end
        let stored =
            length == deleted ? nil : UnsafeRawBufferPointer(rebasing: bytes[middle..<end])
        let table = TableNumber(UInt16(truncatingIfNeeded: group >> 1))
        return group & 1 == 1
            ? TableEntry(
                table: table, key: UnsafeRawBufferPointer(rebasing: bytes[start..<middle]),
                stored: stored)
            : TableEntry(table: table, row: RowID(first), stored: stored)
    }
}
