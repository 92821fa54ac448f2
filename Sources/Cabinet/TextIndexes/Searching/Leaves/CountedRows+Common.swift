/// Of rows with kinds, those that others have, too: some at a time, as most are only counted.
extension CountedRows {
    /// In how many sections of places the rows are gone over.
    var sections: Int { (count + CommonRows.size - 1) / CommonRows.size }

    /// Copies the rows of a section for which `isCommon` is 1, not 0, and whose kind is open.
    @inline(__always)
    func copy(
        _ section: Int, _ open: OpenKinds, to target: UnsafeMutableBufferPointer<UInt32>,
        _ isCommon: (UInt32) -> Int
    ) -> CommonRows {
        let start = section * CommonRows.size
        let places = start..<min(start + CommonRows.size, count)
        var common = CommonRows()
        rows.withUnsafeBufferPointer { rows in
            guard open.areAny else {
                for place in places { common.count &+= isCommon(rows[place]) }
                return
            }
            kindOfRow.withUnsafeBufferPointer { kindOfRow in
                for place in places {
                    let row = rows[place]
                    let one = isCommon(row)
                    common.count &+= one
                    // Without a branch that nothing could predict.
                    target[common.copied] = row
                    common.copied &+= one & open[Int(kindOfRow[place])]
                }
            }
        }
        return common
    }

    /// The same with rows that other bits name, too, for a section of ``RowIndex/bitSections``.
    func copyCommon(
        _ section: Int, _ other: RowIndex, _ open: OpenKinds,
        to target: UnsafeMutableBufferPointer<UInt32>
    ) -> CommonRows {
        var common = CommonRows()
        index.forEachCommonWord(other, section) { word, own, both in
            common.count &+= both.nonzeroBitCount
            guard open.areAny else { return }
            let (row, rank) = (index.base &+ UInt32(word) << 6, Int(index.ranks[word]))
            var both = both
            while both != 0 {
                let bit = both.trailingZeroBitCount
                let before = own & ((1 << UInt64(bit)) &- 1)
                target[common.copied] = row &+ UInt32(truncatingIfNeeded: bit)
                common.copied &+= open[Int(kindOfRow[rank &+ before.nonzeroBitCount])]
                both &= both &- 1
            }
        }
        return common
    }
}

extension RowIndex {
    private static let wordsOfSection = CommonRows.size / 64

    /// In how many sections of words of bits the rows are gone over.
    var bitSections: Int { (bits.count + Self.wordsOfSection - 1) / Self.wordsOfSection }

    /// Calls `body` with each word of a section, its own bits, and those that `other` has, too.
    @inline(__always)
    fileprivate func forEachCommonWord(
        _ other: RowIndex, _ section: Int, _ body: (Int, UInt64, UInt64) -> Void
    ) {
        let start = section * Self.wordsOfSection
        // Where the words of the other one begin.
        let offset = (Int(base) - Int(other.base)) >> 6
        let first = max(start, -offset)
        let end = min(start + Self.wordsOfSection, bits.count, other.bits.count - offset)
        guard first < end else { return }
        bits.withUnsafeBufferPointer { bits in
            other.bits.withUnsafeBufferPointer { others in
                for word in first..<end {
                    body(word, bits[word], bits[word] & others[word &+ offset])
                }
            }
        }
    }
}
