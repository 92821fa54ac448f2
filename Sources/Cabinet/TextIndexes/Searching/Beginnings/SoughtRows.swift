import CabinetBackend

/// Looks for rows in the blocks of a beginning whose rows a segment holds together.
final class SoughtRows {
    // Unchecked: nothing that is called meanwhile comes back here.

    @exclusivity(unchecked) private var hits: SoughtHits
    /// How many rows have the beginning.
    @exclusivity(unchecked) private(set) var total = 0
    private let block = BlockReader()

    /// - Parameter index: the rows that are looked for, and all that do not count in a segment.
    init(_ index: RowIndex) { hits = SoughtHits(index) }

    /// Adds a block of rows that no other block of a sound index has.
    /// - Parameter passed: the rows that do not count, in ascending order.
    /// - Throws: `DataBufferError` for bytes that are no block.
    func add(
        _ value: UnsafeRawBufferPointer, from first: UInt32, passed: [UInt32]
    ) throws(DataBufferError) {
        let last = PostingsBlock.lastRow(ofBeginning: value, from: first)
        guard let (count, last) = last else {
            throw DataBufferError.invalidValue(type: "postings", offset: 0)
        }
        total &+= count
        let places = hits.index.places(from: first, through: last)
        guard !places.isEmpty else { return }
        let left = try block.read(value, from: first, passed: [], hasPositions: false) {
            hits.add($0, $1, sought: places, passed: passed)
        }
        total &-= left
    }

    /// The rows that were found; `nil` if there are too many kinds of them.
    var found: CountedRows? { hits.found }
}

/// Looks for rows in the blocks of all terms that have a beginning: a row may stand in several of these.
final class SoughtTerms {
    /// Rows from this one on have no bit.
    private let limit: Int
    @exclusivity(unchecked) private var hits: SoughtHits
    /// Of each 64 rows a word of bits for those that are sought, and one for those that were met. Row 0 is
    /// none.
    @exclusivity(unchecked) private var bits = PlainList<UInt64>()
    private let block = BlockReader()

    /// - Parameters:
    ///   - index: the rows that are looked for.
    ///   - texts: about how many rows there are.
    ///   - limit: from which row on rows have no bit.
    init(_ index: RowIndex, texts: Int, limit: Int) {
        self.limit = limit
        hits = SoughtHits(index)
        let last = min(max(Int(index.rows.last ?? 0), texts), limit)
        bits.append(zeros: (last / 64 + 1) * 2)
        for row in index.rows where Int(row >> 6) * 2 < bits.count {
            bits[Int(row >> 6) * 2] |= 1 << UInt64(row & 63)
        }
    }

    deinit { bits.deallocate() }

    /// Adds a block.
    /// - Parameter passed: the rows that do not count, in ascending order.
    /// - Returns: `false` for a row that there is no room for: then what was added is of no use.
    /// - Throws: `DataBufferError` for bytes that are no block.
    func add(
        _ value: UnsafeRawBufferPointer, from first: UInt32, passed: [UInt32]
    ) throws(DataBufferError) -> Bool {
        try block.read(value, from: first, passed: passed, hasPositions: true) { block, rows in
            guard let last = rows.last(where: { $0 != 0 }) else { return true }
            guard makeRoom(for: Int(last)) else { return false }
            let bits = bits.base
            var met: UInt64 = 0
            for row in rows {
                let place = Int(row >> 6) &* 2
                let bit: UInt64 = 1 << UInt64(row & 63)
                met |= bits[place] & bit
                bits[place &+ 1] |= bit
            }
            if met != 0 { hits.add(block, rows) }
            return true
        }
    }

    private func makeRoom(for row: Int) -> Bool {
        let words = (row / 64 + 1) * 2
        guard words > bits.count else { return true }
        guard row < limit else { return false }
        bits.append(zeros: max(words, min(bits.count * 2, limit / 32)) - bits.count)
        return true
    }

    /// How many rows have the beginning.
    var total: Int {
        var total = 0
        for place in stride(from: 1, to: bits.count, by: 2) { total += bits[place].nonzeroBitCount }
        return total - Int(bits[1] & 1)
    }

    /// The rows that were found; `nil` if there are too many kinds of them.
    var found: CountedRows? { hits.found }
}

/// What was found of rows that are looked for.
private struct SoughtHits {
    let index: RowIndex
    private var counts: LeafCounts

    init(_ index: RowIndex) {
        self.index = index
        counts = LeafCounts(count: index.count, hasTypos: false)
    }

    /// Adds those rows of a block that are among some of the sought ones.
    /// - Returns: how many of the block's rows are among those that do not count.
    @inline(__always)
    mutating func add(
        _ block: PostingsBlock, _ rows: UnsafeBufferPointer<UInt32>, sought places: Range<Int>,
        passed: [UInt32]
    ) -> Int {
        var left = 0
        let index = index
        counts.change { counts in
            index.rows.withUnsafeBufferPointer { sought in
                for place in places {
                    let posting = rows.lowerBound(of: sought[place])
                    guard posting < rows.count, rows[posting] == sought[place] else { continue }
                    guard passed.isEmpty || !passed.has(sought[place]) else {
                        left += 1
                        continue
                    }
                    counts.add(
                        block.frequency(of: posting), length: block.length(of: posting),
                        typos: 0, at: place)
                }
            }
        }
        return left
    }

    /// Adds those rows of a block that are sought.
    mutating func add(_ block: PostingsBlock, _ rows: UnsafeBufferPointer<UInt32>) {
        let index = index
        counts.change { counts in
            index.forEachPlace(of: rows) { posting, place in
                counts.add(
                    block.frequency(of: posting), length: block.length(of: posting), typos: 0,
                    at: place)
            }
        }
    }

    /// The rows that were found; `nil` if there are too many kinds of them.
    var found: CountedRows? {
        let places = index.rows.indices.filter { counts.frequencies[$0] > 0 }
        var own = LeafCounts(count: places.count, hasTypos: false)
        own.change { own in
            for (place, number) in places.enumerated() {
                own.add(
                    Int(counts.frequencies[number]), length: counts.lengths[number], typos: 0,
                    at: place)
            }
        }
        return CountedRows(RowIndex(places.map { index.rows[$0] }), own)
    }
}
