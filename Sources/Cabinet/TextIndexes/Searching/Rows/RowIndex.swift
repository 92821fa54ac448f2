/// A set of rows that tells of each row which place it has among them, counted from 0.
///
/// Of rows that lie close together a bit for each row of the range, and the number of rows before each word
/// of bits; of others the first place of each section of the range, of which there are about as many as
/// rows. `Sendable`: a value.
struct RowIndex: Sendable {
    /// The rows in ascending order, none of them 0.
    let rows: [UInt32]
    /// The row of bit 0.
    let base: UInt32
    /// Empty for rows that lie far apart.
    let bits: [UInt64]
    /// How many rows there are before each word of bits.
    let ranks: [UInt32]
    /// The sections of rows that lie far apart; `nil` for others, and for few.
    private let sections: RowSections?

    var count: Int { rows.count }

    /// About how many bytes of memory it takes.
    var size: Int { rows.count * 4 + bits.count * 12 + (sections?.size ?? 0) }

    /// - Parameters:
    ///   - rows: in ascending order, each once.
    ///   - fewest: fewer rows are searched.
    init(_ rows: [UInt32], fewest: Int = 16) {
        self.rows = rows
        guard rows.count >= fewest, let first = rows.first, let last = rows.last else {
            (base, bits, ranks, sections) = (0, [], [], nil)
            return
        }
        base = RowBits.base(first)
        let words = Int((last &- base) >> 6) + 1
        guard words <= rows.count else {
            (bits, ranks, sections) = ([], [], RowSections(rows, base, through: last))
            return
        }
        sections = nil
        let bits = RowBits.words(of: rows, base, words)
        let ranks = [UInt32](unsafeUninitializedCapacity: words) { ranks, filled in
            bits.withUnsafeBufferPointer { bits in
                var rank: UInt32 = 0
                var word = 0
                while word < words {
                    ranks[word] = rank
                    rank &+= UInt32(truncatingIfNeeded: bits[word].nonzeroBitCount)
                    word &+= 1
                }
            }
            filled = words
        }
        (self.bits, self.ranks) = (bits, ranks)
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
        // A row before the base wraps around, behind all words.
        let word = Int((row &- base) >> 6)
        guard word < bits.count else { return nil }
        let bit: UInt64 = 1 << UInt64(row & 63)
        guard bits[word] & bit != 0 else { return nil }
        return Int(ranks[word]) &+ (bits[word] & (bit &- 1)).nonzeroBitCount
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
        let (base, count) = (base, UInt32(truncatingIfNeeded: bits.count))
        bits.withUnsafeBufferPointer { bits in
            ranks.withUnsafeBufferPointer { ranks in
                var index = -1
                while index &+ 1 < sought.count {
                    index &+= 1
                    let row = sought[index]
                    // A row before the base wraps around, behind all words.
                    let word = (row &- base) >> 6
                    guard word < count else { continue }
                    let value = bits[Int(word)]
                    let bit: UInt64 = 1 << UInt64(row & 63)
                    guard value & bit != 0 else { continue }
                    let before = (value & (bit &- 1)).nonzeroBitCount
                    body(index, Int(ranks[Int(word)]) &+ before)
                }
            }
        }
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
        guard row > base else { return 0 }
        let word = Int((row &- base) >> 6)
        let before: UInt64 = (1 << UInt64(row & 63)) &- 1
        return Int(ranks[word]) &+ (bits[word] & before).nonzeroBitCount
    }

    /// Whether a row of the set is among `first` to `last`.
    func hasRow(from first: UInt32, through last: UInt32) -> Bool {
        guard let own = rows.first, let end = rows.last, own <= last, first <= end else {
            return false
        }
        guard !bits.isEmpty else {
            let place = rows.withUnsafeBufferPointer { lowerBound(of: first, in: $0) }
            return place < rows.count && rows[place] <= last
        }
        let from = max(first, own) &- base
        let through = min(last, end) &- base
        let (lower, upper) = (Int(from >> 6), Int(through >> 6))
        if ranks[upper] &- ranks[lower] > UInt32(bits[lower].nonzeroBitCount) { return true }
        let low = ~UInt64(0) << UInt64(from & 63)
        let high = ~UInt64(0) >> UInt64(63 &- through & 63)
        if lower == upper { return bits[lower] & low & high != 0 }
        return bits[lower] & low != 0 || bits[upper] & high != 0
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
