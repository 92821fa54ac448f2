import CabinetBackend

/// Collects the rows of one term, or of what terms say together, with their kinds, block after block.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class CountedBlocks {
    // Unchecked: nothing that is called meanwhile comes back here.

    @exclusivity(unchecked) private var rows: [UInt32] = []
    @exclusivity(unchecked) private var kinds: [UInt16] = []
    @exclusivity(unchecked) private var numbers = KindNumbers()
    /// Where rows begin that are not all behind those before them, as those of each segment do.
    @exclusivity(unchecked) private var starts = [0]
    @exclusivity(unchecked) private var last: UInt32 = 0
    /// Of a block.
    private let kindsOfBlock = UnsafeMutableBufferPointer<UInt16>.allocate(
        capacity: PostingsBlock.limit)

    deinit { kindsOfBlock.deallocate() }

    /// Takes memory for so many rows at once.
    func reserve(_ count: Int) {
        rows.reserveCapacity(count)
        kinds.reserveCapacity(count)
    }

    /// Adds a block. `false` if there are too many kinds: then what was added is of no use.
    /// - Parameter found: the rows of the block, in ascending order but for 0, which does not count.
    func add(_ block: PostingsBlock, _ found: UnsafeBufferPointer<UInt32>) -> Bool {
        guard let first = found.first(where: { $0 != 0 }) else { return true }
        if first <= last { starts.append(rows.count) }
        if found.allSatisfy({ $0 != 0 }), numbers.copyKnown(of: block, to: kindsOfBlock) {
            rows.append(contentsOf: found)
            kinds.append(contentsOf: kindsOfBlock[..<found.count])
            last = found[found.count - 1]
            return true
        }
        return block.forEachCount { posting, frequency, length in
            let row = found[posting]
            guard row != 0 else { return true }
            let kind = CountedRows.Kind(
                frequency: UInt32(clamping: frequency), length: length, typos: 0)
            guard let number = numbers.number(of: kind) else { return false }
            rows.append(row)
            kinds.append(number)
            last = row
            return true
        }
    }

    /// All rows; of those that stand in several blocks, as in none that is whole, one.
    var counted: CountedRows {
        let ends = starts.dropFirst() + [rows.count]
        var runs = zip(starts, ends).filter { $0 < $1 }.map { $0..<$1 }
        runs.sort { rows[$0.lowerBound] < rows[$1.lowerBound] }
        let areApart = zip(runs, runs.dropFirst()).allSatisfy {
            rows[$0.upperBound - 1] < rows[$1.lowerBound]
        }
        guard areApart else { return merged }
        if runs.count == 1 { return CountedRows(RowIndex(rows), numbers.kinds, kinds) }
        let found = Self.joined(runs, rows)
        return CountedRows(RowIndex(found), numbers.kinds, Self.joined(runs, kinds))
    }

    private static func joined<Element>(
        _ runs: [Range<Int>], _ list: [Element]
    ) -> [Element] {
        var all: [Element] = []
        all.reserveCapacity(list.count)
        for run in runs { all += list[run] }
        return all
    }

    /// The same where rows of segments interleave.
    private var merged: CountedRows {
        let found = RowBits.sorted(rows, from: rows.min() ?? 0, through: rows.max() ?? 0)
        let index = RowIndex(found)
        var kindOfRow = [UInt16](repeating: 0, count: index.count)
        rows.withUnsafeBufferPointer { rows in
            index.forEachPlace(of: rows) { number, place in kindOfRow[place] = kinds[number] }
        }
        return CountedRows(index, numbers.kinds, kindOfRow)
    }
}
