/// Gives kinds their numbers.
struct KindNumbers {
    private(set) var kinds: [CountedRows.Kind] = []
    private var numbers: [CountedRows.Kind: UInt16] = [:]
    /// Of short texts with seldom terms: the number of the kind and one; 0 for none.
    private var ofShort = [UInt16](repeating: 0, count: 4 << 11)
    /// A text of fewer words is short, and a term that it has fewer times is seldom.
    private static let (short, seldom) = (256, 8)

    @inline(__always)
    mutating func number(of kind: CountedRows.Kind) -> UInt16? {
        guard kind.frequency < Self.seldom, kind.length < Self.short, kind.typos < 4 else {
            return add(kind)
        }
        let place = Int(UInt32(kind.typos) << 11 | kind.frequency << 8 | kind.length)
        let known = ofShort[place]
        if known != 0 { return known &- 1 }
        guard let number = add(kind), number < .max else { return nil }
        ofShort[place] = number + 1
        return number
    }

    /// Writes the numbers of a block's kinds to `target`. `false` if one was not asked for yet, or is none of a
    /// short text.
    func copyKnown(
        of block: PostingsBlock, to target: UnsafeMutableBufferPointer<UInt16>
    ) -> Bool {
        guard block.hasShortCounts(frequency: Self.seldom, length: Self.short) else {
            return false
        }
        return ofShort.withUnsafeBufferPointer { known in
            var greatest: UInt16 = 0
            _ = block.forEachCount { posting, frequency, length in
                // Of none the greatest number, which no kind has.
                let number = known[frequency << 8 | Int(length)] &- 1
                target[posting] = number
                greatest = max(greatest, number)
                return true
            }
            return greatest < .max
        }
    }

    @inline(never)
    private mutating func add(_ kind: CountedRows.Kind) -> UInt16? {
        if let known = numbers[kind] { return known }
        guard kinds.count < Int(UInt16.max) else { return nil }
        let number = UInt16(kinds.count)
        numbers[kind] = number
        kinds.append(kind)
        return number
    }
}
