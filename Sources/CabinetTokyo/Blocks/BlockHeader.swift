import CabinetBackend

/// What stands before every block of entries, in snapshots and in what compaction sorts aside.
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CBLK` |
/// | 4 | UInt16 table |
/// | 6 | UInt8 flags: 1 the stored bytes are deflated, 2 the entries have keys, 4 the stored bytes are sealed |
/// | 7 | UInt8 0 |
/// | 8 | UInt32 count of entries |
/// | 12 | UInt32 CRC of the stored bytes |
/// | 16 | UInt64 length of the entries |
/// | 24 | UInt64 length of the stored bytes, which follow |
/// | 32 | UInt32 CRC of the file's own CRC and the block's offset (UInt64 each), going on over the 32 bytes above |
///
/// Integers are little-endian, every CRC is CRC-32C. The sum of a block is bound to the file and
/// the offset, so a block that was left over from elsewhere is never taken for right.
struct BlockHeader: Equatable {
    static let size = 36
    static let magic = Array("CBLK".utf8)
    static let deflated: UInt8 = 1
    static let keyed: UInt8 = 2
    static let sealed: UInt8 = 4
    /// The most bytes of entries in a block: a record and a key of the largest size, and room.
    static let largestBlock: UInt64 = 2 << 30 + 1 << 20

    var group: UInt32
    var isDeflated: Bool
    var isSealed = false
    var count: UInt32
    var storedSum: UInt32
    var rawLength: UInt64
    var storedLength: UInt64

    /// Writes the header of the block at `offset` to `address`, where 36 bytes are free.
    func encode(to address: UnsafeMutableRawPointer, fileSum: UInt32, offset: UInt64) {
        address.copyMemory(from: Self.magic, byteCount: 4)
        var flags: UInt8 = isDeflated ? Self.deflated : 0
        if group & 1 == 1 { flags |= Self.keyed }
        if isSealed { flags |= Self.sealed }
        address.put(UInt16(truncatingIfNeeded: group >> 1), at: 4)
        address.put(flags, at: 6)
        address.put(0 as UInt8, at: 7)
        address.put(count, at: 8)
        address.put(storedSum, at: 12)
        address.put(rawLength, at: 16)
        address.put(storedLength, at: 24)
        address.put(Self.sum(address, fileSum: fileSum, offset: offset), at: 32)
    }

    /// The header in the 36 bytes at `address`; `nil` if they are damaged, or belong elsewhere.
    init?(at address: UnsafeRawPointer, fileSum: UInt32, offset: UInt64) {
        let flags = address.get(UInt8.self, at: 6)
        guard address.get(at: 32) == Self.sum(address, fileSum: fileSum, offset: offset),
            UnsafeRawBufferPointer(start: address, count: 4).elementsEqual(Self.magic),
            flags & ~(Self.deflated | Self.keyed | Self.sealed) == 0
        else { return nil }
        group = TableEntry.group(TableNumber(address.get(at: 4)), hasKey: flags & Self.keyed != 0)
        isDeflated = flags & Self.deflated != 0
        isSealed = flags & Self.sealed != 0
        count = address.get(at: 8)
        storedSum = address.get(at: 12)
        rawLength = address.get(at: 16)
        storedLength = address.get(at: 24)
    }

    init(
        group: UInt32, isDeflated: Bool, count: UInt32, storedSum: UInt32,
        rawLength: UInt64, storedLength: UInt64
    ) {
        self.group = group
        self.isDeflated = isDeflated
        self.count = count
        self.storedSum = storedSum
        self.rawLength = rawLength
        self.storedLength = storedLength
    }

    /// Whether the lengths can be true of a block with `room` bytes behind its header, and so may
    /// size memory.
    func isPossible(room: UInt64) -> Bool {
        guard count > 0, storedLength <= room, rawLength <= Self.largestBlock,
            rawLength / UInt64(EntryCoder.headerSize) >= UInt64(count)
        else { return false }
        let overhead = isSealed ? UInt64(SealedPiece.overhead) : 0
        guard storedLength >= overhead else { return false }
        let length = storedLength - overhead
        guard isDeflated else { return rawLength == length }
        return rawLength <= UInt64(Deflater.largestBlock) && length < rawLength
            && rawLength / Inflater.highestRatio <= length
    }

    /// Calls `body` with what the sealed bytes of a block are bound to: the file, the offset, and all that
    /// the header says of the entries.
    func withBinding<Result>(
        fileSum: UInt32, offset: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var fixed = self
        (fixed.isSealed, fixed.storedSum, fixed.storedLength) = (true, 0, 0)
        return withUnsafeTemporaryAllocation(byteCount: Self.size, alignment: 8) { room in
            if let base = room.baseAddress {
                fixed.encode(to: base, fileSum: fileSum, offset: offset)
            }
            return body(UnsafeRawBufferPointer(room))
        }
    }

    private static func sum(
        _ address: UnsafeRawPointer, fileSum: UInt32, offset: UInt64
    ) -> UInt32 {
        UnsafeRawBufferPointer(start: address, count: size - 4)
            .checksum(from: checksum(of: UInt64(fileSum), offset))
    }
}
