/// The head of a block of postings: in which rows a term stands, and at which positions.
///
/// A block is
///
///     number of rows − 1, first row, last row − first row, length of the rows' part in bytes,
///     for each row   2 · (row − row before − 1) + (1 if the term is there more than once);
///                    of the first row only the bit; then, if it is 1, frequency − 2
///     for each row   first position, and for each further one position − position before − 1
///
/// all of them numbers of ``PostingsReader``. The rows' part has what a score needs, and is read without
/// the positions. First and last row are at the beginning, so that a block is passed over unread.
///
/// `Sendable`: a value.
struct PostingsBlock: Sendable, Hashable {
    /// At most so many rows are in a block.
    static let rowLimit = 128
    /// Of a row, so many positions are kept, the first ones: as many as a scan counts.
    static let positionLimit = FieldOccurrences.limit

    let rowCount: Int
    let first: UInt32
    let last: UInt32
    /// Where rows and frequencies are, and where positions are.
    let rows: Range<Int>
    let positions: Range<Int>

    /// Reads the head of a block.
    init(_ bytes: UnsafeRawBufferPointer) throws(PostingsError) {
        var reader = PostingsReader(bytes, 0..<bytes.count)
        rowCount = Int(try reader.number(below: UInt64(Self.rowLimit))) + 1
        first = UInt32(try reader.number(below: 1 << 32))
        let span = UInt32(try reader.number(below: 1 << 32 - UInt64(first)))
        last = first + span
        guard Int(span) >= rowCount - 1, rowCount > 1 || span == 0 else {
            throw reader.error(.badRows)
        }
        let length = Int(try reader.number(below: UInt64(bytes.count) + 1))
        guard reader.offset + length <= bytes.count else { throw reader.error(.truncated) }
        rows = reader.offset..<reader.offset + length
        positions = rows.upperBound..<bytes.count
    }
}
