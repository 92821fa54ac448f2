import CLibrary

/// The bytes of one term while it is made: UTF-8, at most ``limit`` of them.
///
/// Not `Sendable`: it owns memory that its holder frees.
package struct TermBuffer {
    /// Terms are cut off behind the last whole scalar within so many bytes, so no word of any length
    /// needs more memory, and a key of an index stays short. Words with equal beginnings of this
    /// length are one term.
    package static let limit = 192

    let base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    /// Whether a scalar did not fit: what follows is left out too.
    private(set) var isFull = false

    init() { base = .allocate(capacity: Self.limit) }

    func deallocate() { base.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    @inline(__always)
    mutating func removeAll() {
        count = 0
        isFull = false
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        guard count < Self.limit, !isFull else {
            isFull = true
            return
        }
        base[count] = byte
        count &+= 1
    }

    mutating func appendMultibyte(_ value: UInt32) {
        let length = value < 0x800 ? 2 : value < 0x10000 ? 3 : 4
        guard count &+ length <= Self.limit, !isFull else {
            isFull = true
            return
        }
        for index in (1..<length).reversed() {
            let shift = UInt32(6 * (length - 1 - index))
            base[count &+ index] = UInt8(truncatingIfNeeded: 0x80 | (value >> shift) & 0x3F)
        }
        let mark: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
        base[count] = UInt8(truncatingIfNeeded: mark | value >> UInt32(6 * (length - 1)))
        count &+= length
    }

    /// Says how many bytes of ASCII were stored at ``base``, or would have been.
    @inline(__always)
    mutating func setCount(_ count: Int) {
        self.count = min(count, Self.limit)
        isFull = count > Self.limit
    }

    mutating func keep(_ range: Range<Int>) {
        memmove(base, base + range.lowerBound, range.count)
        count = range.count
    }

    var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }
}
