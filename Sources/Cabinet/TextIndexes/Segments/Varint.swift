/// Numbers of 7 bits a byte, the lowest first; all bytes but the last have the highest bit set.
enum Varint {
    @inline(__always)
    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number and moves past it; `nil` if the bytes end in it, or it has more than 32 bits.
    @inline(__always)
    static func read(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32? {
        guard position < bytes.count else { return nil }
        let first = bytes[position]
        position &+= 1
        if first < 0x80 { return UInt32(first) }
        var number = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while position < bytes.count, shift < 35 {
            let byte = bytes[position]
            position &+= 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return UInt32(exactly: number) }
            shift &+= 7
        }
        return nil
    }
}
