/// A set of rows that tells of each row which place it has among them, counted from 0.
///
/// Of rows that lie close together it has a bit for each row of the range, with the number of rows before each word of
/// bits; others are searched. `Sendable`: a value.
struct RowIndex: Sendable {
    /// The rows in ascending order, none of them 0.
    let rows: [UInt32]
    /// The row of the first bit: a multiple of 64.
    private let base: UInt32
    /// The rows as bits; empty for rows that lie far apart, and for few.
    private let words: [UInt64]
    /// How many rows there are before each word.
    private let ranks: [UInt32]

    var count: Int { rows.count }

    /// - Parameter rows: in ascending order, each once.
    init(_ rows: [UInt32]) {
        self.rows = rows
        let words =
            if rows.count >= 16, let first = rows.first, let last = rows.last {
                Self.words(of: rows, from: first, through: last)
            } else {
                nil as [UInt64]?
            }
        base = (rows.first ?? 0) & ~63
        self.words = words ?? []
        ranks = Self.ranks(self.words)
    }

    /// - Parameter rows: in any order, each any number of times. Row 0 is none, and is left out.
    init(sorting rows: [UInt32]) {
        var (least, greatest) = (UInt32.max, UInt32(0))
        for row in rows where row != 0 {
            least = min(least, row)
            greatest = max(greatest, row)
        }
        guard least <= greatest, let words = Self.words(of: rows, from: least, through: greatest)
        else {
            var distinct: [UInt32] = []
            for row in rows.sorted() where row != 0 && row != distinct.last { distinct.append(row) }
            self.init(distinct)
            return
        }
        self.init(of: words, from: least & ~63)
    }

    /// The rows of some bits.
    private init(of words: [UInt64], from base: UInt32) {
        (self.base, self.words) = (base, words)
        ranks = Self.ranks(words)
        let count = Int(ranks.last ?? 0) + (words.last?.nonzeroBitCount ?? 0)
        // Never none: the one empty array that all threads share would be written to.
        rows = [UInt32](unsafeUninitializedCapacity: max(count, 1)) { rows, filled in
            var place = 0
            for word in words.indices {
                let start = base &+ UInt32(truncatingIfNeeded: word &* 64)
                var rest = words[word]
                while rest != 0 {
                    rows[place] = start &+ UInt32(truncatingIfNeeded: rest.trailingZeroBitCount)
                    place &+= 1
                    rest &= rest &- 1
                }
            }
            filled = place
        }
    }

    /// The bits of rows from `first` through `last`; `nil` if they lie too far apart for these.
    private static func words(
        of rows: [UInt32], from first: UInt32, through last: UInt32
    ) -> [UInt64]? {
        let base = first & ~63
        let count = Int((last &- base) >> 6) + 1
        guard count <= rows.count * 4 else { return nil }
        return [UInt64](unsafeUninitializedCapacity: count) { bits, filled in
            bits.initialize(repeating: 0)
            filled = count
            for row in rows where row != 0 {
                bits[Int((row &- base) >> 6)] |= 1 << UInt64(row & 63)
            }
        }
    }

    private static func ranks(_ words: [UInt64]) -> [UInt32] {
        var rank: UInt32 = 0
        return words.map { word in
            defer { rank &+= UInt32(truncatingIfNeeded: word.nonzeroBitCount) }
            return rank
        }
    }

    /// The place of a row; `nil` if it is not in the set.
    func place(of row: UInt32) -> Int? {
        var found: Int?
        withUnsafePointer(to: row) {
            forEachPlace(of: UnsafeBufferPointer(start: $0, count: 1)) { found = $1 }
        }
        return found
    }

    /// The places of those of `wanted` that are in the set, by their own places.
    /// - Parameter areAscending: whether `wanted` is in ascending order, so that not all of it has to be looked at.
    @inline(__always)
    func forEachPlace(
        of wanted: UnsafeBufferPointer<UInt32>, areAscending: Bool = false,
        _ body: (_ index: Int, _ place: Int) -> Void
    ) {
        guard words.isEmpty else { return forEachPlaceByBits(of: wanted, body) }
        rows.withUnsafeBufferPointer { rows in
            var (index, place) = (0, 0)
            while index < wanted.count {
                let row = wanted[index]
                place = rows.lowerBound(of: row, from: areAscending ? place : 0)
                if place < rows.count, rows[place] == row {
                    body(index, place)
                } else if areAscending {
                    guard place < rows.count else { return }
                    index = wanted.lowerBound(of: rows[place], from: index)
                    continue
                }
                index &+= 1
            }
        }
    }

    @inline(__always)
    private func forEachPlaceByBits(
        of wanted: UnsafeBufferPointer<UInt32>, _ body: (_ index: Int, _ place: Int) -> Void
    ) {
        let (base, count) = (base, UInt32(truncatingIfNeeded: words.count))
        words.withUnsafeBufferPointer { words in
            ranks.withUnsafeBufferPointer { ranks in
                for index in 0..<wanted.count {
                    let row = wanted[index]
                    // A row before the base wraps around, behind all words.
                    let word = (row &- base) >> 6
                    guard word < count else { continue }
                    let value = words[Int(word)]
                    let bit: UInt64 = 1 << UInt64(row & 63)
                    guard value & bit != 0 else { continue }
                    let before = (value & (bit &- 1)).nonzeroBitCount
                    body(index, Int(ranks[Int(word)]) &+ before)
                }
            }
        }
    }

    /// Whether a row of the set is among `first` to `last`.
    func hasRow(from first: UInt32, through last: UInt32) -> Bool {
        rows.withUnsafeBufferPointer { rows in
            let place = rows.lowerBound(of: first)
            return place < rows.count && rows[place] <= last
        }
    }
}
