/// Reads scalars from UTF-8 that may be damaged.
enum UTF8Decoding {
    /// The scalar at `offset`, which must be within `bytes`, and how many bytes it takes.
    ///
    /// Damaged bytes read as U+FFFD: as many at once as `String(decoding:as:)` replaces by one, the
    /// *maximal subpart* (The Unicode Standard, section 3.9).
    @inline(__always)
    static func scalar(
        in bytes: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> (value: UInt32, length: Int) {
        let lead = bytes[offset]
        if lead < 0x80 { return (UInt32(lead), 1) }
        if lead &- 0xC2 < 0x1E, offset &+ 1 < bytes.count, bytes[offset &+ 1] & 0xC0 == 0x80 {
            return (UInt32(lead & 0x1F) << 6 | UInt32(bytes[offset &+ 1] & 0x3F), 2)
        }
        return multibyte(bytes, at: offset, lead)
    }

    private static func multibyte(
        _ bytes: UnsafeBufferPointer<UInt8>, at offset: Int, _ lead: UInt8
    ) -> (value: UInt32, length: Int) {
        let damaged: UInt32 = 0xFFFD
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return (damaged, 1)
        }
        var value = UInt32(lead) & (0x7F >> UInt32(length))
        for index in 1..<length {
            guard offset &+ index < bytes.count else { return (damaged, index) }
            let byte = bytes[offset &+ index]
            guard (index == 1 ? second : 0x80...0xBF) ~= byte else { return (damaged, index) }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return (value, length)
    }

    @inline(__always)
    static func append(_ value: UInt32, to term: inout TermBuffer) {
        if value < 0x80 {
            term.append(UInt8(truncatingIfNeeded: value))
        } else {
            term.appendMultibyte(value)
        }
    }
}
