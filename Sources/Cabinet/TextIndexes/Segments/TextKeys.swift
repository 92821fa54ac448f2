import CabinetBackend

/// The keys of a text index in its ordered table. The first byte says what an entry is.
///
/// | key | value |
/// |---|---|
/// | `D`, segment, first term | ``TermBlock``: some terms of the segment, with the number of rows of each |
/// | `N`, row | ``UnmergedRow``: the record itself is asked, whatever the segments say of it |
/// | `P`, term, segment, first row | ``PostingsBlock``: where the term stands |
/// | `S`, segment | ``SegmentHead`` |
/// | `X`, segment, first row | rows that older segments know and that do not count there any more |
///
/// Segments and rows are 4 bytes, big-endian; terms are escaped as in ``OrderedKey`` and end with a
/// zero byte.
enum TextKeys {
    enum Kind: UInt8 {
        case terms = 0x44
        case unmerged = 0x4E
        case postings = 0x50
        case segment = 0x53
        case gone = 0x58
    }

    /// The key of an entry of one segment or row, or what all such keys begin with.
    static func key(_ kind: Kind, _ numbers: UInt32...) -> [UInt8] {
        var key = [kind.rawValue]
        for number in numbers { append(number, to: &key) }
        return key
    }

    /// What the keys of a term's postings begin with.
    static func postings(of term: UnsafeRawBufferPointer) -> [UInt8] {
        var key = postings(ofPrefix: term)
        key.append(KeyEscape.end)
        return key
    }

    /// What the keys of the postings of all terms begin with that begin with `prefix`.
    static func postings(ofPrefix prefix: UnsafeRawBufferPointer) -> [UInt8] {
        var key = [Kind.postings.rawValue]
        appendEscaped(prefix, to: &key)
        return key
    }

    /// The key of a block of terms.
    static func terms(_ segment: UInt32, from term: UnsafeRawBufferPointer) -> [UInt8] {
        var key = key(.terms, segment)
        appendEscaped(term, to: &key)
        key.append(KeyEscape.end)
        return key
    }

    static func append(_ number: UInt32, to key: inout [UInt8]) {
        for shift: UInt32 in [24, 16, 8, 0] {
            key.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    static func appendEscaped(_ term: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        for byte in term {
            if byte > KeyEscape.escape {
                key.append(byte)
            } else {
                key.append(KeyEscape.escape)
                key.append(byte == 0 ? KeyEscape.zero : KeyEscape.one)
            }
        }
    }

    /// The 4 bytes at `offset`; `nil` if the key ends before.
    static func number(in key: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
        guard offset >= 0, offset + 4 <= key.count else { return nil }
        return UInt32(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The segment and the first row in a key of postings; `nil` for another key.
    static func place(
        ofPostings key: UnsafeRawBufferPointer
    ) -> (segment: UInt32, first: UInt32)? {
        guard key.count >= 10, let segment = number(in: key, at: key.count - 8),
            let first = number(in: key, at: key.count - 4)
        else { return nil }
        return (segment, first)
    }

    /// The term in a key of postings; `nil` for another key.
    static func term(ofPostings key: UnsafeRawBufferPointer) -> [UInt8]? {
        guard key.first == Kind.postings.rawValue, key.count >= 10 else { return nil }
        return unescaped(UnsafeRawBufferPointer(rebasing: key[1..<(key.count - 9)]))
    }

    private static func unescaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var term: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                term.append(byte == KeyEscape.zero ? 0 : 1)
                isEscaped = false
            } else if byte == KeyEscape.escape {
                isEscaped = true
            } else {
                term.append(byte)
            }
        }
        return term
    }
}

/// What an entry of a segment says of it.
struct SegmentHead: Hashable {
    let number: UInt32
    /// One more than the number of the commit that the segment was made behind: a segment's `X` entries are
    /// about those of lesser orders, and of lesser numbers among equal orders.
    let order: UInt64
    /// How many rows the segment has more than it voids in older ones; below 0 if it voids more.
    var rows: Int64
    /// The same for the sum of the texts' lengths.
    var length: Int64
    /// How many postings there are.
    var postings: UInt64

    func write(to buffer: DataBuffer) {
        buffer.writeUInt64(order)
        buffer.writeInt64(rows)
        buffer.writeInt64(length)
        buffer.writeUInt64(postings)
    }

    /// - Throws: `DataBufferError` for bytes that are no such entry.
    init(_ number: UInt32, _ buffer: DataBuffer) throws(DataBufferError) {
        self.number = number
        order = try buffer.readUInt64()
        rows = try buffer.readInt64()
        length = try buffer.readInt64()
        postings = try buffer.readUInt64()
    }

    init(_ number: UInt32, order: UInt64, rows: Int64, length: Int64, postings: UInt64) {
        self.number = number
        self.order = order
        self.rows = rows
        self.length = length
        self.postings = postings
    }
}
