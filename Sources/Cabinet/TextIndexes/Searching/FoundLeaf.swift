import CabinetBackend

/// What one leaf of a search has found in the field that is searched: its rows with their counts, its
/// postings, where few of very many rows will have to be counted, or where its terms follow one another.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
enum FoundLeaf {
    case counted(LeafRows)
    case postings(TermPostings)
    case phrase(LeafHits)

    /// Whether its rows were found with their places: bits of the same rows would be of no use.
    var isPhrase: Bool { if case .phrase = self { true } else { false } }

    /// How many rows there are.
    var count: Int {
        switch self {
        case .counted(let leaf): leaf.count
        case .postings(let postings): postings.rows.count
        case .phrase(let hits): hits.rows.count
        }
    }

    /// The rows, in ascending order.
    var rows: [UInt32] {
        switch self {
        case .counted(let leaf): leaf.rows
        case .postings(let postings): postings.rows
        case .phrase(let hits): hits.rows
        }
    }

    /// Those of `others` in which the leaf stands, too. Both are in ascending order.
    func intersection(_ others: [UInt32]) -> [UInt32] {
        switch self {
        case .counted(let leaf): leaf.intersection(others)
        case .postings(let postings): RowList.intersection(others, postings.rows)
        case .phrase(let hits): RowList.intersection(others, hits.rows)
        }
    }

    /// Whether counting so many rows by the postings takes longer than counting all at once.
    func isBetterCounted(for rows: Int) -> Bool {
        if case .postings(let postings) = self { postings.count < rows * 8 } else { false }
    }

    /// Adds to the scores and typos of some rows, in each of which the leaf stands.
    /// - Throws: a ``BackendError``; `DataBufferError` for bytes that are no postings.
    func add(
        _ statistics: SearchStatistics, weight: Double, at index: RowIndex, _ reader: LeafReader,
        _ scores: inout [Double], _ typos: inout [UInt8]
    ) throws {
        let counts: LeafCounts
        switch self {
        case .counted(let leaf):
            LeafRows.Scorer(leaf, statistics, weight: weight).add(index.rows, &scores, &typos)
            return
        case .postings(let postings): counts = try reader.counts(of: postings, at: index)
        case .phrase(let hits): counts = try reader.counts(of: hits, at: index)
        }
        LeafScorer(statistics, weight: weight).add(counts, to: &scores)
        LeafCounts.addTypos(of: [counts], to: &typos)
    }
}
