import CabinetBackend

/// What one leaf of a search has found in the field that is searched: its rows with their counts, or its
/// postings, where few of very many rows will have to be counted.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
enum FoundLeaf {
    case counted(LeafRows)
    case postings(TermPostings)

    /// How many rows there are.
    var count: Int {
        switch self {
        case .counted(let leaf): leaf.count
        case .postings(let postings): postings.rows.count
        }
    }

    /// The rows, in ascending order.
    var rows: [UInt32] {
        switch self {
        case .counted(let leaf): leaf.rows
        case .postings(let postings): postings.rows
        }
    }

    /// Those of `others` in which the leaf stands, too. Both are in ascending order.
    func intersection(_ others: [UInt32]) -> [UInt32] {
        switch self {
        case .counted(let leaf): leaf.intersection(others)
        case .postings(let postings): RowList.intersection(others, postings.rows)
        }
    }

    /// Whether counting so many rows by the postings takes longer than counting all at once.
    func isBetterCounted(for rows: Int) -> Bool {
        if case .postings(let postings) = self { postings.count < rows * 8 } else { false }
    }

    /// Adds to the scores and typos of some rows, in each of which the leaf stands.
    /// - Throws: `DataBufferError` for bytes that are no postings.
    func add(
        _ statistics: SearchStatistics, weight: Double, at index: RowIndex,
        _ scores: inout [Double], _ typos: inout [UInt8]
    ) throws {
        switch self {
        case .counted(let leaf):
            LeafRows.Scorer(leaf, statistics, weight: weight).add(index.rows, &scores, &typos)
        case .postings(let postings):
            let counts = try postings.counts(at: index)
            LeafScorer(statistics, weight: weight).add(counts, to: &scores)
            LeafCounts.addTypos(of: [counts], to: &typos)
        }
    }
}
