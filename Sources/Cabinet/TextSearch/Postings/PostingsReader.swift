/// Reads numbers from a block of postings, and checks each byte. Not `Sendable`: it points into the block.
struct PostingsReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { offset == end }

    func error(_ reason: PostingsError.Reason) -> PostingsError {
        PostingsError(reason: reason, offset: offset)
    }

    /// The next number: seven bits a byte, low ones first, the high bit says that more follow (LEB128).
    @inline(__always)
    mutating func number() throws(PostingsError) -> UInt64 {
        guard offset < end else { throw error(.truncated) }
        let byte = bytes[offset]
        if byte < 0x80 {
            offset &+= 1
            return UInt64(byte)
        }
        return try longNumber()
    }

    private mutating func longNumber() throws(PostingsError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var place = offset
        while true {
            guard place < end else { throw error(.truncated) }
            let byte = bytes[place]
            value |= UInt64(byte & 0x7F) << shift
            place += 1
            if byte < 0x80 {
                // Six bytes hold all that a block has, and no last byte is 0.
                guard byte != 0 else { throw error(.badNumber) }
                offset = place
                return value
            }
            shift += 7
            guard shift < 42 else { throw error(.badNumber) }
        }
    }

    /// The next number, which is below `limit`.
    mutating func number(below limit: UInt64) throws(PostingsError) -> UInt64 {
        let start = offset
        let value = try number()
        guard value < limit else { throw PostingsError(reason: .badNumber, offset: start) }
        return value
    }
}
