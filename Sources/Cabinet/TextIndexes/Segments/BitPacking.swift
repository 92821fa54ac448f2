/// Writes numbers of a few bits each, one after the other, the lowest bit first.
struct BitWriter {
    /// So many bytes behind the last number may be written to, too.
    static let padding = 8

    private var place: UnsafeMutableRawPointer
    private var pending: UInt64 = 0
    /// How many bits are pending: fewer than 32.
    private var count: UInt64 = 0

    /// - Parameter place: where the first number goes. All numbers and ``padding`` bytes have room there.
    init(at place: UnsafeMutableRawPointer) { self.place = place }

    /// Appends the lowest `width` bits of `number`, of 0 to 32. It has no others.
    @inline(__always)
    mutating func append(_ number: UInt32, width: UInt64) {
        pending |= UInt64(number) &<< count
        count &+= width
        guard count >= 32 else { return }
        let word = UInt32(truncatingIfNeeded: pending).littleEndian
        place.storeBytes(of: word, as: UInt32.self)
        place += 4
        pending &>>= 32
        count &-= 32
    }

    /// Fills the last byte up with zeros.
    mutating func finish() {
        let word = UInt32(truncatingIfNeeded: pending).littleEndian
        place.storeBytes(of: word, as: UInt32.self)
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

extension [UInt8] {
    /// Appends the ``PackedNumbers/padding`` behind numbers.
    mutating func appendPadding() {
        Swift.withUnsafeBytes(of: UInt64(0)) { append(contentsOf: $0) }
    }
}
