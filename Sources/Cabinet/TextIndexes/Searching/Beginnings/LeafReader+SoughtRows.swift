import CabinetBackend
import CabinetTextSearch

extension LeafReader {
    /// So many rows at most are looked for among those of a beginning: for more, it takes less to read all with
    /// their counts, which later searches can use.
    static let soughtLimit = 1 << 11

    /// Which of some rows have a beginning that very many terms have, and how many rows have it in all; `nil` for
    /// any other pattern, for one that was read as a whole, and for many rows.
    ///
    /// Nothing is kept, and the counts of other rows are not unpacked; where the segments hold the rows of the
    /// beginning together, blocks without one of the rows are counted alone.
    /// - Parameters:
    ///   - rows: in ascending order.
    ///   - passed: rows that the index does not count, in ascending order. They are looked for, too.
    /// - Throws: a ``BackendError``; `DataBufferError` for bytes that are no postings.
    func sought(
        _ rows: [UInt32], passed: [UInt32], _ pattern: TermPattern
    ) throws -> FoundLeaf? {
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        guard snapshot.hasLengths, pattern.kind == .prefix, rows.count <= Self.soughtLimit,
            snapshot.state.beginning(plain) == nil, snapshot.state.counts(of: plain) == nil
        else { return nil }
        var sought = RowList.union(rows, passed)
        if let entries = try entries(ofBeginning: pattern.term) {
            // Rows that do not count in a segment are looked for, to be taken off.
            for segment in snapshot.segments {
                sought = RowList.union(sought, snapshot.state.passed(in: segment.number) ?? [])
                guard sought.count <= Self.soughtLimit else { return nil }
            }
            let search = SoughtRows(RowIndex(sought))
            try snapshot.entries.forEach(entries.range, first: 1024) { key, value in
                guard let (first, passed) = snapshot.place(of: key) else { return true }
                try search.add(value, from: first, passed: passed)
                return true
            }
            return search.found.map { .sought(LeafRows($0), count: search.total) }
        }
        guard try isWide(pattern.term) else { return nil }
        let search = SoughtTerms(RowIndex(sought), texts: texts, limit: rowLimit)
        var isWhole = true
        try snapshot.entries.forEach(Self.entries(of: pattern.term), first: 1024) { key, value in
            guard let (first, passed) = snapshot.place(of: key) else { return true }
            isWhole = try search.add(value, from: first, passed: passed)
            return isWhole
        }
        guard isWhole else { return nil }
        return search.found.map { .sought(LeafRows($0), count: search.total) }
    }
}
