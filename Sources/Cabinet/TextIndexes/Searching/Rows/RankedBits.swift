/// A set of rows as a bit for each row of a range, with the number of rows before each word of bits: it tells
/// of each row which place it has among them, counted from 0. `Sendable`: a value.
struct RankedBits: Sendable {
    /// No rows.
    static let none = RankedBits(base: 0, [])

    /// The row of the first bit: a multiple of 64.
    let base: UInt32
    let words: [UInt64]
    /// How many rows there are before each word.
    let ranks: [UInt32]
    let count: Int

    var isEmpty: Bool { words.isEmpty }

    /// About how many bytes of memory it takes.
    var size: Int { words.count * 12 }

    init(base: UInt32, _ words: [UInt64]) {
        (self.base, self.words) = (base, words)
        var rank: UInt32 = 0
        ranks = [UInt32](unsafeUninitializedCapacity: words.count) { ranks, filled in
            words.withUnsafeBufferPointer { words in
                var word = 0
                while word < words.count {
                    ranks[word] = rank
                    rank &+= UInt32(truncatingIfNeeded: words[word].nonzeroBitCount)
                    word &+= 1
                }
            }
            filled = words.count
        }
        count = Int(rank)
    }

    /// The place of a row; `nil` if it is not in the set.
    @inline(__always)
    func place(of row: UInt32) -> Int? {
        // A row before the base wraps around, behind all words.
        let word = Int((row &- base) >> 6)
        guard word < words.count else { return nil }
        let bit: UInt64 = 1 << UInt64(row & 63)
        guard words[word] & bit != 0 else { return nil }
        return Int(ranks[word]) &+ (words[word] & (bit &- 1)).nonzeroBitCount
    }

    /// The places of those of `sought` that are in the set, by their own places.
    @inline(__always)
    func forEachPlace(
        of sought: UnsafeBufferPointer<UInt32>, _ body: (_ index: Int, _ place: Int) -> Void
    ) {
        let (base, count) = (base, UInt32(truncatingIfNeeded: words.count))
        words.withUnsafeBufferPointer { words in
            ranks.withUnsafeBufferPointer { ranks in
                var index = -1
                while index &+ 1 < sought.count {
                    index &+= 1
                    let row = sought[index]
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

    /// Calls `body` with each row, in ascending order.
    @inline(__always)
    func forEachRow(_ body: (UInt32) -> Void) {
        words.withUnsafeBufferPointer { words in
            var (word, row) = (0, base)
            while word < words.count {
                var rest = words[word]
                while rest != 0 {
                    body(row &+ UInt32(truncatingIfNeeded: rest.trailingZeroBitCount))
                    rest &= rest &- 1
                }
                word &+= 1
                row = row &+ 64
            }
        }
    }

    /// All rows, in ascending order.
    var rows: [UInt32] {
        [UInt32](unsafeUninitializedCapacity: count) { target, filled in
            var place = 0
            forEachRow { row in
                target[place] = row
                place &+= 1
            }
            filled = place
        }
    }

    /// The place of the first row that is not before `row`, which no more than all rows are before.
    func lowerPlace(of row: UInt32) -> Int {
        guard row > base else { return 0 }
        let word = Int((row &- base) >> 6)
        guard word < words.count else { return count }
        let before: UInt64 = (1 << UInt64(row & 63)) &- 1
        return Int(ranks[word]) &+ (words[word] & before).nonzeroBitCount
    }
}

/// Of rows of two sets, those that both have: some at a time.
extension RankedBits {
    private static let wordsOfSection = CommonRows.size / 64

    /// In how many sections of words the rows are gone over.
    var sections: Int { (words.count + Self.wordsOfSection - 1) / Self.wordsOfSection }

    /// Calls `body` with each word of a section, its own bits, and those that `other` has, too.
    @inline(__always)
    func forEachCommonWord(
        _ other: RankedBits, _ section: Int, _ body: (Int, UInt64, UInt64) -> Void
    ) {
        let start = section * Self.wordsOfSection
        // Where the words of the other one begin.
        let offset = (Int(base) - Int(other.base)) >> 6
        let first = max(start, -offset)
        let end = min(start + Self.wordsOfSection, words.count, other.words.count - offset)
        guard first < end else { return }
        words.withUnsafeBufferPointer { words in
            other.words.withUnsafeBufferPointer { others in
                for word in first..<end {
                    body(word, words[word], words[word] & others[word &+ offset])
                }
            }
        }
    }
}
