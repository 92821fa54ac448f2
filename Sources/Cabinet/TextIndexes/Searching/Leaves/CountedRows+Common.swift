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

    /// The same with rows that are bits, for a section of these rows' own bits.
    func copyCommon(
        _ section: Int, _ other: RankedBits, _ open: OpenKinds,
        to target: UnsafeMutableBufferPointer<UInt32>
    ) -> CommonRows {
        var common = CommonRows()
        let bits = index.bits
        bits.forEachCommonWord(other, section) { word, own, both in
            common.count &+= both.nonzeroBitCount
            guard open.areAny else { return }
            let (row, rank) = (bits.base &+ UInt32(word) << 6, Int(bits.ranks[word]))
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
