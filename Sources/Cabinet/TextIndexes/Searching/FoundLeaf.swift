import CabinetBackend

/// What one leaf of a search has found in the field that is searched.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
enum FoundLeaf {
    case counted(LeafRows)
    /// Of a beginning whose rows are not counted yet: few of very many will have to be.
    case postings(TermPostings)
    /// Of terms that follow one another, with the places where they do.
    case phrase(LeafHits)

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
        _ statistics: SearchStatistics, weight: Double, at rows: [UInt32], _ reader: LeafReader,
        _ scores: inout [Double], _ typos: inout [UInt8]
    ) throws {
        let counts: LeafCounts
        switch self {
        case .counted(let leaf):
            LeafRows.Scorer(leaf, statistics, weight: weight).add(rows, &scores, &typos)
            return
        case .postings(let postings):
            counts = try reader.counts(of: postings, at: RowIndex(rows))
        // The same rows, mostly, which are found without an index.
        case .phrase(let hits):
            counts = try reader.counts(of: hits, at: RowIndex(rows, fewest: .max))
        }
        LeafScorer(statistics, weight: weight).add(counts, to: &scores)
        LeafCounts.addTypos(of: [counts], to: &typos)
    }

    /// Inserts the best rows of the only leaf of a search. `false` if that cannot be done, and some may be
    /// inserted.
    /// - Parameter passed: rows that do not count, in ascending order.
    func insertBest(
        into found: inout FoundRows, _ limit: Int, _ statistics: SearchStatistics, weight: Double,
        passed: [UInt32]
    ) -> Bool {
        switch self {
        case .counted(let leaf):
            LeafRows.Scorer(leaf, statistics, weight: weight)
                .insertBest(into: &found, limit, passed: passed)
        case .postings, .phrase: false
        }
    }

    /// Inserts the best rows in which two leaves stand, in one walk over the rows of one of them. `false`, with
    /// nothing inserted, if that cannot be done.
    /// - Parameter passed: rows that do not count, in ascending order.
    static func insertBest(
        of leaves: [FoundLeaf], into found: inout FoundRows, _ statistics: SearchStatistics,
        weights: [Double], passed: [UInt32]
    ) -> Bool {
        guard leaves.count == 2, case .counted(let one) = leaves[0],
            case .counted(let other) = leaves[1]
        else { return false }
        let first = LeafRows.Scorer(one, statistics, weight: weights[0])
        let second = LeafRows.Scorer(other, statistics, weight: weights[1])
        let (walked, asked) = one.count <= other.count ? (first, second) : (second, first)
        return found.insert { walked.insertBest(into: &$0, with: asked, passed: passed) }
    }
}
