import CabinetBackend

/// What a search has found: all rows, or the best of them.
struct FoundRows {
    /// How many rows there are in all.
    private(set) var total = 0
    private var all: [ScoredRow] = []
    private var best: TopHits?

    init() {}

    /// - Parameters:
    ///   - rows: the first rows.
    ///   - best: how many are kept, the best ones; `nil` for all.
    init(_ rows: [ScoredRow], best: Int? = nil) {
        self.best = best.map { TopHits(limit: $0) }
        for row in rows { insert(row) }
    }

    @inline(__always)
    mutating func insert(_ row: ScoredRow) {
        total += 1
        guard best != nil else { return all.append(row) }
        best?.insert(row)
    }

    /// Those that were kept, best first.
    func sorted() -> [ScoredRow] { best?.sorted() ?? all.sorted { $0.precedes($1) } }

    /// Those that were kept; if these are all, in no order.
    var rows: [ScoredRow] { best?.sorted() ?? all }
}
