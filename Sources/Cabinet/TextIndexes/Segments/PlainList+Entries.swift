extension PlainList where Element == UInt8 {
    /// Appends the 4 bytes of a number, the highest first.
    mutating func append(bigEndian number: UInt32) {
        let start = count
        append(uninitialized: 4)
        set(number.bigEndian, at: start)
    }

    /// Appends a term as keys have it, with its end.
    mutating func append(escaped term: UnsafeRawBufferPointer) {
        for byte in term {
            if byte > KeyEscape.escape {
                append(byte)
            } else {
                append(KeyEscape.escape)
                append(byte == 0 ? KeyEscape.zero : KeyEscape.one)
            }
        }
        append(KeyEscape.end)
    }

    /// Appends a number of 7 bits a byte, the lowest first.
    mutating func append(varint number: UInt32) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
