/// The positions of a term in the texts of some rows, which may become known in any order.
///
/// Most texts have a term of three letters once, so that one number is known of a row: its position, or
/// where its positions lie among those of rows that have several.
struct RowPositions {
    /// The mark of a row without a position.
    static let none = UInt32.max
    /// Marks from here on are of rows with several positions, or with none; below it, a mark is the only
    /// position.
    static let several: UInt32 = 1 << 31

    /// Of each row its mark.
    private(set) var marks: [UInt32]
    /// Where the positions of rows with several begin and end, by the number in their marks.
    private var ranges: [Range<Int>] = []
    private var positions: [UInt32] = []

    /// No positions, of so many rows.
    init(rows: Int) { marks = Array(repeating: Self.none, count: rows) }

    /// Calls `body` with the marks, to set those of rows with one position.
    @inline(__always)
    mutating func setMarks<Result>(
        _ body: (UnsafeMutableBufferPointer<UInt32>) throws -> Result
    ) rethrows -> Result {
        try marks.withUnsafeMutableBufferPointer { try body($0) }
    }

    /// Keeps positions and gives the mark of their row; `nil` if there are too many rows.
    mutating func mark(_ own: [UInt32]) -> UInt32? {
        // A position beyond those of texts is kept as several are.
        if own.count == 1, own[0] < Self.several { return own[0] }
        guard ranges.count < Self.several - 1 else { return nil }
        let start = positions.count
        positions += own
        ranges.append(start..<positions.count)
        return Self.several + UInt32(ranges.count - 1)
    }

    /// The positions in the row at `place`, in ascending order.
    subscript(place: Int) -> ArraySlice<UInt32> {
        let mark = marks[place]
        if mark == Self.none { return [] }
        return mark < Self.several ? [mark] : positions[ranges[Int(mark - Self.several)]]
    }
}
