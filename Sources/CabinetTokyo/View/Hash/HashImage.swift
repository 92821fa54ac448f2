import CLibrary
import CabinetBackend

/// The records of a Tokyo Cabinet hash file, read where it is mapped.
///
/// The layout is the library's, format 1.0: a header of 256 bytes, the bucket array, the pool of
/// free blocks, and from `firstRecord` on records and free blocks without a gap. A record: 0xC8,
/// second hash, left and right child (4 or 8 bytes each, in units of the alignment), UInt16
/// padding, key and value lengths (7 bits a byte, inverted while more follow), key, value,
/// padding. A free block: 0xB0, UInt32 size. Integers have the byte order that the library was
/// built for; which, the header shows.
///
/// Reading here instead of through the library costs no copy and no allocation, lets any number
/// of walks run at once, and checks every offset, so that a damaged file cannot crash the
/// process. Callers make sure that there are no writes meanwhile.
package struct HashImage {
    /// Where the file is mapped, from its beginning to ``end`` at least.
    var base: UnsafeRawPointer
    let bucketCount: UInt64
    package let firstRecord: UInt64
    let alignmentPower: UInt64
    let isLarge: Bool
    let isSwapped: Bool
    /// Where the records end; grows while the file is written.
    package var end: UInt64

    static let headerSize: UInt64 = 256
    /// The first byte of a record.
    static let recordMagic: UInt8 = 0xC8
    /// The first byte of a free block.
    static let freeMagic: UInt8 = 0xB0

    /// `nil` if the header is not that of a hash file that fits into `size` bytes.
    package init?(base: UnsafeRawPointer, size: UInt64) {
        guard size >= Self.headerSize, Self.hasMagic(base) else { return nil }
        let type = base.get(UInt8.self, at: 32)
        let options = base.get(UInt8.self, at: 36)
        let power = base.get(UInt8.self, at: 34)
        // Compressed values are not ours, nor were they BNRPersistence's.
        guard type == 0, options & ~1 == 0, power <= 16 else { return nil }
        let entry: UInt64 = options & 1 == 0 ? 4 : 8
        func plausible(_ swapped: Bool) -> (UInt64, UInt64, UInt64)? {
            func word(_ offset: Int) -> UInt64 {
                let raw = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                return swapped ? raw.byteSwapped : raw
            }
            let (buckets, end, first) = (word(40), word(56), word(64))
            guard buckets > 0, end <= size, first <= end, buckets <= first / entry,
                Self.headerSize + buckets * entry + 64 <= first
            else { return nil }
            return (buckets, first, end)
        }
        if let (buckets, first, end) = plausible(false) {
            (bucketCount, firstRecord, self.end, isSwapped) = (buckets, first, end, false)
        } else if let (buckets, first, end) = plausible(true) {
            (bucketCount, firstRecord, self.end, isSwapped) = (buckets, first, end, true)
        } else {
            return nil
        }
        self.base = base
        alignmentPower = UInt64(power)
        isLarge = entry == 8
    }

    /// How many records the header says there are.
    package var recordCount: UInt64 {
        let raw = base.loadUnaligned(fromByteOffset: 48, as: UInt64.self)
        return isSwapped ? raw.byteSwapped : raw
    }

    /// Where users of the library keep their own bytes.
    package var opaque: UnsafeRawPointer { base + Self.opaqueOffset }
    static let opaqueOffset = 192

    /// Whether the bytes at `base`, of which there must be 14, begin a file of the library's.
    static func hasMagic(_ base: UnsafeRawPointer) -> Bool {
        memcmp(base, "ToKyO CaBiNeT\n", 14) == 0
    }

    package struct Record {
        package let key: UnsafeRawBufferPointer
        package let value: UnsafeRawBufferPointer
        let hash: UInt8
        let left: UInt64
        let right: UInt64
        /// Where the next record or free block begins.
        package let next: UInt64
    }

    package enum Block {
        case record(Record)
        case free(next: UInt64)
    }

    @inline(__always)
    private func link(_ offset: UInt64) -> UInt64 {
        if isLarge {
            let raw = (base + Int(offset)).loadUnaligned(as: UInt64.self)
            return (isSwapped ? raw.byteSwapped : raw) &<< alignmentPower
        }
        let raw = (base + Int(offset)).loadUnaligned(as: UInt32.self)
        return UInt64(isSwapped ? raw.byteSwapped : raw) &<< alignmentPower
    }

    /// The first record of the bucket with that index; 0 for none.
    @inline(__always)
    func bucket(_ index: UInt64) -> UInt64 {
        link(Self.headerSize &+ index &* (isLarge ? 8 : 4))
    }

    /// The second hash of the record at `offset`; `nil` if no record can begin there.
    @inline(__always)
    func hash(at offset: UInt64) -> UInt8? {
        guard offset >= firstRecord, offset < end, end &- offset >= (isLarge ? 22 : 14) else {
            return nil
        }
        let address = base + Int(truncatingIfNeeded: offset)
        guard address.load(as: UInt8.self) == Self.recordMagic else { return nil }
        return address.load(fromByteOffset: 1, as: UInt8.self)
    }

    /// Where a link of the record at `offset` leads, at which ``hash(at:)`` has found one; 0 for nowhere.
    @inline(__always)
    func child(of offset: UInt64, isLeft: Bool) -> UInt64 {
        link(offset &+ (isLeft ? 2 : isLarge ? 10 : 6))
    }

    /// What stands at `offset`; `nil` if that is nothing that could.
    @inline(__always)
    package func block(at offset: UInt64) -> Block? {
        guard offset >= firstRecord, offset < end, end - offset >= 5 else { return nil }
        let address = base + Int(offset)
        let magic = address.load(as: UInt8.self)
        if magic == Self.freeMagic {
            let raw = address.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
            let size = UInt64(isSwapped ? raw.byteSwapped : raw)
            guard size >= 5, size <= end - offset else { return nil }
            return .free(next: offset + size)
        }
        let fixed: UInt64 = isLarge ? 20 : 12
        guard magic == Self.recordMagic, end - offset >= fixed + 2 else { return nil }
        var cursor = offset + fixed
        guard let keyLength = Self.length(base, &cursor, end),
            let valueLength = Self.length(base, &cursor, end)
        else { return nil }
        let raw = (base + Int(offset + fixed - 2)).loadUnaligned(as: UInt16.self)
        let padding = UInt64(isSwapped ? raw.byteSwapped : raw)
        let total = keyLength + valueLength + padding
        guard total <= end - cursor else { return nil }
        return .record(
            Record(
                key: UnsafeRawBufferPointer(
                    start: base + Int(cursor), count: Int(keyLength)),
                value: UnsafeRawBufferPointer(
                    start: base + Int(cursor + keyLength), count: Int(valueLength)),
                hash: address.load(fromByteOffset: 1, as: UInt8.self),
                left: link(offset + 2), right: link(offset + (isLarge ? 10 : 6)),
                next: cursor + total))
    }

    /// A length of 7 bits a byte, which are inverted while more follow.
    @inline(__always)
    static func length(
        _ base: UnsafeRawPointer, _ cursor: inout UInt64, _ end: UInt64
    ) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while cursor < end, shift <= 28 {
            let byte = base.load(fromByteOffset: Int(truncatingIfNeeded: cursor), as: UInt8.self)
            cursor &+= 1
            if byte < 0x80 { return value | UInt64(byte) &<< shift }
            value |= UInt64(~byte) &<< shift
            shift &+= 7
        }
        return nil
    }

    /// Writes a number so, and moves past it. Returns how many bytes it takes.
    @inline(__always)
    @discardableResult
    static func writeLength(_ number: UInt64, to address: inout UnsafeMutableRawPointer) -> Int {
        var rest = number
        var count = 0
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest & 0x7F)
            rest >>= 7
            address.storeBytes(of: rest > 0 ? ~digit : digit, as: UInt8.self)
            address += 1
            count += 1
        } while rest > 0
        return count
    }
}
