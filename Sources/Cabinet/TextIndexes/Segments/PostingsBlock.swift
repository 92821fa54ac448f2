/// Up to 128 postings of a term, as an entry of a text index holds them.
///
/// Rows, lengths, frequencies and positions stand apart from one another, each in numbers of as many bits
/// as the largest one in the block needs. So rows are read without what belongs to them, and of one
/// posting what is asked for.
///
/// | bytes | content |
/// |---|---|
/// | 1 | the number of postings less one; 0x80 is added if a term stands in a text several times |
/// | 1 | bits of a row, if there are several postings |
/// | 1 | bits of a length, if the index has lengths |
/// | 1 | bits of a frequency, if a term stands in a text several times |
/// | 1 | bits of a position; 1 at least |
/// | | of each posting but the first, whose row is in the key, the distance from the row before less one |
/// | | if the index has lengths: of each posting the length of its text |
/// | | if a term stands in a text several times: of each posting how often less one |
/// | | of each posting its first position, and of each further one the distance less one |
///
/// Not `Sendable`: it points to bytes, and must not outlive them.
struct PostingsBlock {
    /// So many postings at most.
    static let limit = 128
    /// From so many positions on, a block takes no further posting.
    static let positionsLimit = 2048
    /// Is added to the number of postings if a term stands in a text several times.
    static let several: UInt8 = 0x80

    let count: Int
    private let first: UInt32
    private let gaps: PackedNumbers
    private let lengths: PackedNumbers
    private let others: PackedNumbers
    private let places: PackedNumbers
    /// How many positions there is room for.
    private let room: Int
    /// Whether the term stands in a text several times.
    let hasSeveral: Bool

    /// Looks at the head of a block. `nil` for bytes that are none.
    /// - Parameters:
    ///   - bytes: the block, behind which ``PackedNumbers/padding`` bytes can be read.
    ///   - first: the row of the first posting.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, from first: UInt32, hasLengths: Bool) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return nil }
        count = Int(bytes[0] & 0x7F) &+ 1
        hasSeveral = bytes[0] & Self.several != 0
        self.first = first
        var place = 1
        func width(_ isThere: Bool) -> Int? {
            guard isThere else { return 0 }
            guard place < bytes.count, bytes[place] <= 32 else { return nil }
            place &+= 1
            return Int(bytes[place &- 1])
        }
        guard let gap = width(count > 1), let length = width(hasLengths),
            let other = width(hasSeveral), let position = width(true), position > 0
        else { return nil }
        let head = place &* 8
        let (afterGaps, afterLengths) = (
            head &+ (count &- 1) &* gap, head &+ (count &- 1) &* gap &+ count &* length
        )
        let afterOthers = afterLengths &+ count &* other
        let left = bytes.count &* 8 &- afterOthers
        guard left >= 0 else { return nil }
        gaps = PackedNumbers(base, from: head, width: gap)
        lengths = PackedNumbers(base, from: afterGaps, width: length)
        others = PackedNumbers(base, from: afterLengths, width: other)
        places = PackedNumbers(base, from: afterOthers, width: position)
        room = left / position
        guard room >= count else { return nil }
    }

    /// Writes the rows to `rows`, which has room for ``count`` of them. `false` if they are no rows.
    @inline(__always)
    func copyRows(to rows: UnsafeMutablePointer<UInt32>) -> Bool {
        // Local copies are not read again behind each row that is stored.
        let (gaps, count) = (gaps, count)
        var row = UInt64(first)
        rows[0] = first
        for index in 1..<max(count, 1) {
            row &+= UInt64(gaps[index &- 1]) &+ 1
            rows[index] = UInt32(truncatingIfNeeded: row)
        }
        return first > 0 && row <= UInt64(UInt32.max)
    }

    /// The length of the text of a posting; 0 without lengths.
    @inline(__always)
    func length(of posting: Int) -> UInt32 { lengths.width == 0 ? 0 : lengths[posting] }

    /// How often the term stands in the text of a posting.
    @inline(__always)
    func frequency(of posting: Int) -> Int { hasSeveral ? Int(others[posting]) &+ 1 : 1 }

    /// The position of a posting, if the term stands in no text several times.
    @inline(__always)
    func onlyPosition(of posting: Int) -> UInt32 { places[posting] }

    /// Calls `body` with each position of a posting, in ascending order. `false` if the block has not
    /// so many.
    /// - Parameter before: how many positions the postings before this one have.
    @inline(__always)
    func forEachPosition(
        of posting: Int, before: Int, _ body: (UInt32) -> Void
    ) -> Bool {
        let end = before &+ frequency(of: posting)
        guard before >= 0, end <= room else { return false }
        var position: UInt32 = 0
        for place in before..<end {
            position = position &+ places[place] &+ (place == before ? 0 : 1)
            body(position)
        }
        return true
    }
}
