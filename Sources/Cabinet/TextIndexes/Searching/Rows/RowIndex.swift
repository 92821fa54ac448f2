/// A set of rows that tells of each row which place it has among them, counted from 0.
///
/// Of rows that lie close together it has a bit for each row of the range; of others the first place of each
/// section of the range, of which there are about as many as rows. `Sendable`: a value.
struct RowIndex: Sendable {
    /// The rows in ascending order, none of them 0.
    let rows: [UInt32]
    /// The rows as bits; empty for rows that lie far apart, and for few.
    let bits: RankedBits
    /// The sections of rows that lie far apart; `nil` for others, and for few.
    private let sections: RowSections?

    var count: Int { rows.count }

    /// About how many bytes of memory it takes.
    var size: Int { rows.count * 4 + bits.size + (sections?.size ?? 0) }

    /// - Parameters:
    ///   - rows: in ascending order, each once.
    ///   - fewest: fewer rows are searched.
    init(_ rows: [UInt32], fewest: Int = 16) {
        self.rows = rows
        guard rows.count >= fewest, let first = rows.first, let last = rows.last else {
            (bits, sections) = (.none, nil)
            return
        }
        let base = RowBits.base(first)
        let words = Int((last &- base) >> 6) + 1
        guard words <= rows.count else {
            (bits, sections) = (.none, RowSections(rows, base, through: last))
            return
        }
        sections = nil
        bits = RankedBits(base: base, RowBits.words(of: rows, base, words))
    }

    /// The rows of some bits.
    init(_ bits: RankedBits) {
        let areClose = bits.count >= 16 && bits.words.count <= bits.count
        self = areClose ? RowIndex(rows: bits.rows, bits) : RowIndex(bits.rows)
    }

    private init(rows: [UInt32], _ bits: RankedBits) {
        (self.rows, self.bits) = (rows, bits)
        sections = nil
    }

    /// The place of a row; `nil` if it is not in the set.
    @inline(__always)
    func place(of row: UInt32) -> Int? {
        guard !bits.isEmpty else {
            return rows.withUnsafeBufferPointer { rows in
                let place = lowerBound(of: row, in: rows)
                return place < rows.count && rows[place] == row ? place : nil
            }
        }
        return bits.place(of: row)
    }

    /// The first place whose row is not before `row`.
    @inline(__always)
    private func lowerBound(of row: UInt32, in rows: UnsafeBufferPointer<UInt32>) -> Int {
        sections?.lowerBound(of: row, in: rows) ?? rows.lowerBound(of: row)
    }

    /// Those of `others` that are in the set.
    func intersection(_ others: [UInt32]) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: others.count) { target, filled in
            others.withUnsafeBufferPointer { others in
                forEachPlace(of: others) { place, _ in
                    target[filled] = others[place]
                    filled &+= 1
                }
            }
        }
    }

    /// The places of those of `sought` that are in the set, by their own places.
    @inline(__always)
    func forEachPlace(
        of sought: UnsafeBufferPointer<UInt32>, _ body: (_ index: Int, _ place: Int) -> Void
    ) {
        guard !bits.isEmpty else {
            return rows.withUnsafeBufferPointer { forEachPlace(of: sought, in: $0, body) }
        }
        bits.forEachPlace(of: sought, body)
    }

    @inline(__always)
    private func forEachPlace(
        of sought: UnsafeBufferPointer<UInt32>, in rows: UnsafeBufferPointer<UInt32>,
        _ body: (Int, Int) -> Void
    ) {
        var (index, next) = (0, 0)
        while index < sought.count {
            let row = sought[index]
            // Often the same rows are sought.
            let place =
                next < rows.count && rows[next] == row ? next : lowerBound(of: row, in: rows)
            if place < rows.count, rows[place] == row {
                next = place &+ 1
                body(index, place)
            }
            index &+= 1
        }
    }

    /// The places of the rows of the set from `first` through `last`.
    func places(from first: UInt32, through last: UInt32) -> Range<Int> {
        guard let end = rows.last, first <= end, first <= last else { return 0..<0 }
        let lower = lowerPlace(of: first)
        return lower..<(last < end ? lowerPlace(of: last &+ 1) : rows.count)
    }

    /// The first place whose row is not before `row`, which the last row is not before.
    private func lowerPlace(of row: UInt32) -> Int {
        guard !bits.isEmpty else {
            return rows.withUnsafeBufferPointer { lowerBound(of: row, in: $0) }
        }
        return bits.lowerPlace(of: row)
    }

    /// Whether a row of the set is among `first` to `last`.
    func hasRow(from first: UInt32, through last: UInt32) -> Bool {
        guard let own = rows.first, let end = rows.last, own <= last, first <= end else {
            return false
        }
        return rows[lowerPlace(of: first)] <= last
    }
}

extension UnsafeBufferPointer<UInt32> {
    /// The first place in ascending numbers that is not before `number`.
    ///
    /// Without a branch that depends on the numbers, which nothing could predict.
    @inline(__always)
    func lowerBound(of number: UInt32) -> Int {
        guard let base = baseAddress, count > 0 else { return 0 }
        var (lower, length) = (0, count)
        while length > 1 {
            let half = length / 2
            // All bits if the number in the middle is less, as the difference is below 0 then.
            let difference = Int64(base[lower &+ half &- 1]) &- Int64(number)
            lower &+= half & Int(truncatingIfNeeded: difference &>> 63)
            length &-= half
        }
        return base[lower] < number ? lower &+ 1 : lower
    }
}
