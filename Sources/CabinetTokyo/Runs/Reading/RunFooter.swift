import CabinetBackend

/// The last 96 bytes of a run.
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CabRnEnd` |
/// | 8 | UInt64 entries |
/// | 16 | UInt64 deletes among them |
/// | 24 | Int64 sum of all weights |
/// | 32 | UInt64 bytes of all keys |
/// | 40 | UInt64 bytes of all values |
/// | 48 | UInt64 blocks |
/// | 56 | UInt64 where the index begins; the blocks end there |
/// | 64 | UInt64 length of the index, which the footer follows |
/// | 72 | UInt64 how many bytes all separators but the first begin with in common |
/// | 80 | 4 bytes 0 |
/// | 84 | UInt32 CRC-32C of the index |
/// | 88 | UInt32 CRC-32C of the header |
/// | 92 | UInt32 CRC-32C of the 92 bytes above |
///
/// Both sums are bound to the file and to the offset.
struct RunFooter: Hashable {
    static let size = 96
    private static let magic: UInt64 = 0x646E_456E_5262_6143

    var entries: UInt64 = 0
    var deletes: UInt64 = 0
    var weight: Int64 = 0
    var keyBytes: UInt64 = 0
    var valueBytes: UInt64 = 0
    var blocks: UInt64 = 0
    var indexOffset: UInt64 = 0
    var indexLength: UInt64 = 0
    var commonPrefix: UInt64 = 0
    var indexSum: UInt32 = 0
    var headerSum: UInt32 = 0

    /// Writes a footer that begins at `offset` of the file.
    func encode(to bytes: UnsafeMutableRawPointer, at offset: UInt64, fileSum: UInt32) {
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
        bytes.put(Self.magic, at: 0)
        bytes.put(entries, at: 8)
        bytes.put(deletes, at: 16)
        bytes.put(weight, at: 24)
        bytes.put(keyBytes, at: 32)
        bytes.put(valueBytes, at: 40)
        bytes.put(blocks, at: 48)
        bytes.put(indexOffset, at: 56)
        bytes.put(indexLength, at: 64)
        bytes.put(commonPrefix, at: 72)
        bytes.put(indexSum, at: 84)
        bytes.put(headerSum, at: 88)
        let covered = UnsafeRawBufferPointer(start: bytes, count: 92)
        bytes.put(covered.checksum(in: fileSum, at: offset), at: 92)
    }

    /// Reads a footer that begins at `offset` and ends the file. `nil`: it is damaged.
    init?(_ bytes: UnsafeRawPointer, at offset: UInt64, fileSum: UInt32) {
        let covered = UnsafeRawBufferPointer(start: bytes, count: 92)
        guard bytes.get(UInt64.self, at: 0) == Self.magic,
            bytes.get(UInt32.self, at: 92) == covered.checksum(in: fileSum, at: offset)
        else { return nil }
        entries = bytes.get(at: 8)
        deletes = bytes.get(at: 16)
        weight = bytes.get(at: 24)
        keyBytes = bytes.get(at: 32)
        valueBytes = bytes.get(at: 40)
        blocks = bytes.get(at: 48)
        indexOffset = bytes.get(at: 56)
        indexLength = bytes.get(at: 64)
        commonPrefix = bytes.get(at: 72)
        indexSum = bytes.get(at: 84)
        headerSum = bytes.get(at: 88)
        guard indexOffset >= UInt64(RunHeader.size), indexOffset <= offset,
            offset - indexOffset == indexLength, deletes <= entries, blocks <= entries
        else { return nil }
    }

    init() {}
}
