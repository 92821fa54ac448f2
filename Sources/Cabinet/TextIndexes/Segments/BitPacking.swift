/// Writes numbers of a few bits each, one after the other, the lowest bit first.
struct BitWriter {
    private(set) var bytes: [UInt8]
    private var pending: UInt64 = 0
    private var count: UInt64 = 0

    /// Goes on behind `bytes`.
    init(after bytes: [UInt8]) { self.bytes = bytes }

    /// Appends the lowest `width` bits of `number`, of 0 to 32.
    @inline(__always)
    mutating func append(_ number: UInt32, width: Int) {
        pending |= UInt64(number) << count
        count &+= UInt64(truncatingIfNeeded: width)
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            count &-= 8
        }
    }

    /// Fills the last byte up with zeros.
    mutating func finish() {
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
        (pending, count) = (0, 0)
    }
}

/// Numbers of `width` bits each, one after the other.
struct PackedNumbers {
    /// So many bytes behind the last number are read, and do not count.
    static let padding = 8

    private let base: UnsafeRawPointer
    /// Where the first number begins.
    private let start: Int
    let width: Int
    private let mask: UInt64

    /// - Parameters:
    ///   - base: where bit 0 is. ``padding`` bytes behind all bits can be read.
    ///   - start: the first bit of the first number.
    ///   - width: 0 to 32.
    init(_ base: UnsafeRawPointer, from start: Int, width: Int) {
        self.base = base
        self.start = start
        self.width = width
        mask = (1 << UInt64(width)) &- 1
    }

    @inline(__always)
    subscript(index: Int) -> UInt32 {
        let bit = start &+ index &* width
        let word = (base + (bit >> 3)).loadUnaligned(as: UInt64.self)
        return UInt32(
            truncatingIfNeeded: (UInt64(littleEndian: word) >> UInt64(bit & 7)) & mask)
    }

    /// How many bits `number` takes.
    static func width(of number: UInt32) -> Int { 32 - number.leadingZeroBitCount }
}
