/// Rows as bits.
enum RowBits {
    /// The row of the first bit: a multiple of 64.
    static func base(_ first: UInt32) -> UInt32 { first & ~63 }

    /// How many words of bits rows from `first` through `last` take; `nil` if `rows` of them are better
    /// sorted.
    static func words(from first: UInt32, through last: UInt32, rows: Int) -> Int? {
        let words = Int((last &- base(first)) >> 6) + 1
        return words <= rows * 4 ? words : nil
    }

    /// The bits of rows, of which 0 is none.
    static func words(of rows: [UInt32], _ base: UInt32, _ words: Int) -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: words) { bits, filled in
            bits.initialize(repeating: 0)
            filled = words
            rows.withUnsafeBufferPointer { rows in
                var index = 0
                while index < rows.count {
                    let row = rows[index]
                    if row != 0 { bits[Int((row &- base) >> 6)] |= 1 << UInt64(row & 63) }
                    index &+= 1
                }
            }
        }
    }

    /// Rows in any order, from `first` through `last`, in ascending order, each once. Row 0 is none, and is
    /// left out.
    static func sorted(_ rows: [UInt32], from first: UInt32, through last: UInt32) -> [UInt32] {
        guard first > 0, first <= last,
            let words = words(from: first, through: last, rows: rows.count)
        else {
            var distinct: [UInt32] = []
            for row in rows.sorted() where row != 0 && row != distinct.last {
                distinct.append(row)
            }
            return distinct
        }
        let base = base(first)
        return Self.words(of: rows, base, words).withUnsafeBufferPointer { bits in
            var count = 0
            var index = 0
            while index < words {
                count &+= bits[index].nonzeroBitCount
                index &+= 1
            }
            return [UInt32](unsafeUninitializedCapacity: count) { target, filled in
                var (index, place) = (0, 0)
                var start = base
                while index < words {
                    var rest = bits[index]
                    while rest != 0 {
                        target[place] =
                            start &+ UInt32(truncatingIfNeeded: rest.trailingZeroBitCount)
                        place &+= 1
                        rest &= rest &- 1
                    }
                    index &+= 1
                    start = start &+ 64
                }
                filled = place
            }
        }
    }
}
