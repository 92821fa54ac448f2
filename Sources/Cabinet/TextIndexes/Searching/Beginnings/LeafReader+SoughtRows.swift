import CabinetBackend

extension LeafReader {
    /// So many rows at most are looked for among those of a beginning: for more, most blocks are unpacked anyway,
    /// and all rows are of use to later searches.
    static let soughtLimit = 1 << 11

    /// Which of some rows have a beginning of which the segments hold the rows together, and how many rows have it
    /// in all; `nil` for any other pattern, for one that was read as a whole, and for many rows.
    ///
    /// Blocks without one of the rows are counted, and not unpacked.
    /// - Parameters:
    ///   - rows: in ascending order.
    ///   - passed: rows that the index does not count, in ascending order. They are looked for, too.
    /// - Throws: a ``BackendError``; `DataBufferError` for bytes that are no postings.
    func sought(
        _ rows: [UInt32], passed: [UInt32], _ pattern: TermPattern
    ) throws -> FoundLeaf? {
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        guard snapshot.hasLengths, pattern.kind == .prefix, rows.count <= Self.soughtLimit,
            snapshot.state.beginning(plain) == nil, snapshot.state.counts(of: plain) == nil,
            let entries = try entries(ofBeginning: pattern.term)
        else { return nil }
        var sought = RowList.union(rows, passed)
        for segment in snapshot.segments {
            sought = RowList.union(sought, snapshot.state.passed(in: segment.number) ?? [])
            guard sought.count <= Self.soughtLimit else { return nil }
        }
        let search = SoughtRows(RowIndex(sought))
        try snapshot.entries.forEach(entries.range, first: 1024) { key, value in
            try snapshot.count(key, value, in: search)
            return true
        }
        return search.found.map { .sought(LeafRows($0), count: search.total) }
    }
}

extension TextSnapshot {
    /// Counts the block of an entry of a beginning, if it is one that counts.
    /// - Throws: `DataBufferError` for bytes that are no postings.
    fileprivate func count(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in search: SoughtRows
    ) throws(DataBufferError) {
        guard let (first, passed) = place(of: key) else { return }
        try search.add(value, from: first, passed: passed)
    }
}

/// Looks for rows in the blocks of a beginning.
private final class SoughtRows {
    private let index: RowIndex
    // Unchecked: nothing that is called meanwhile comes back here.

    @exclusivity(unchecked) private var counts: LeafCounts
    @exclusivity(unchecked) private(set) var total = 0
    private let block = BlockReader()

    init(_ index: RowIndex) {
        self.index = index
        counts = LeafCounts(count: index.count, hasTypos: false)
    }

    /// - Parameter passed: the rows that do not count, in ascending order.
    func add(
        _ value: UnsafeRawBufferPointer, from first: UInt32, passed: [UInt32]
    ) throws(DataBufferError) {
        let last = PostingsBlock.lastRow(ofBeginning: value, from: first)
        guard let (count, last) = last else {
            throw DataBufferError.invalidValue(type: "postings", offset: 0)
        }
        guard index.hasRow(from: first, through: last) else {
            total &+= count
            return
        }
        try block.read(value, from: first, passed: passed, hasPositions: false) { block, rows in
            counts.change { counts in
                index.forEachPlace(of: rows) { posting, place in
                    counts.add(
                        block.frequency(of: posting), length: block.length(of: posting), typos: 0,
                        at: place)
                }
            }
            total &+= rows.count { $0 != 0 }
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
