/// How the bytes of a run are compared and its numbers are written.
enum RunBytes {
    /// How many bytes `one` and `other` have in common at their front, of at most `limit`, which
    /// neither may be shorter than.
    @inline(__always)
    static func common(
        _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, upTo limit: Int
    ) -> Int {
        var at = 0
        while at &+ 8 <= limit {
            let difference = one.get(UInt64.self, at: at) ^ other.get(UInt64.self, at: at)
            if difference != 0 { return at &+ difference.trailingZeroBitCount &>> 3 }
            at &+= 8
        }
        while at < limit, one.get(UInt8.self, at: at) == other.get(UInt8.self, at: at) {
            at &+= 1
        }
        return at
    }

    /// The eight bytes from `start` on as a big-endian number, whose order is theirs; behind `end`
    /// they count as zeros.
    @inline(__always)
    static func prefix(_ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> UInt64 {
        if start &+ 8 <= end {
            return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
        var prefix: UInt64 = 0
        for at in start..<max(start, end) {
            prefix |= UInt64(bytes.get(UInt8.self, at: at)) &<< UInt64(56 &- 8 &* (at &- start))
        }
        return prefix
    }

    /// The most bytes that ``putNumber(_:at:)`` writes.
    static let longestNumber = 9

    /// Writes a number of at most 63 bits, seven bits a byte, lowest first, each byte but the last
    /// with its highest bit set. Returns how many bytes it took.
    @inline(__always)
    static func putNumber(_ number: Int, at bytes: UnsafeMutableRawPointer) -> Int {
        var rest = UInt64(truncatingIfNeeded: number)
        var count = 0
        while rest >= 0x80 {
            bytes.put(UInt8(truncatingIfNeeded: rest) | 0x80, at: count)
            rest &>>= 7
            count &+= 1
        }
        bytes.put(UInt8(truncatingIfNeeded: rest), at: count)
        return count &+ 1
    }

    /// Reads a number at `position`, which moves behind it. `nil`: it does not end before `end`, or
    /// has more than 63 bits.
    @inline(__always)
    static func number(
        _ bytes: UnsafeRawPointer, at position: inout Int, before end: Int
    ) -> Int? {
        guard position < end else { return nil }
        let first = bytes.get(UInt8.self, at: position)
        position &+= 1
        if first < 0x80 { return Int(first) }
        var number = Int(first & 0x7F)
        var shift = 7
        while shift < 63 {
            guard position < end else { return nil }
            let byte = bytes.get(UInt8.self, at: position)
            position &+= 1
            number |= Int(byte & 0x7F) &<< shift
            if byte < 0x80 { return number }
            shift &+= 7
        }
        return nil
    }
}
