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

    mutating func insert(_ row: ScoredRow) {
        total += 1
        guard best != nil else { return all.append(row) }
        best?.insert(row)
    }

    /// Adds to the number of rows those that were inserted without being counted, or are not among the
    /// best.
    mutating func count(_ rows: Int) { total += rows }

    /// Whether a row with that score could be kept.
    @inline(__always)
    func mayTake(_ score: Double, _ typos: UInt8) -> Bool {
        guard let last = best?.last else { return true }
        return Int(typos) < last.typos || Int(typos) == last.typos && score >= last.score
    }

    /// Inserts a row that ``count(_:)`` counts; only if the best ones are kept.
    @inline(__always)
    mutating func insertUncounted(_ row: UInt32, _ score: Double, _ typos: UInt8) {
        guard mayTake(score, typos) else { return }
        best?.insert(ScoredRow(row: RowID(row), score: score, typos: Int(typos)))
    }

    /// Inserts rows by their places.
    mutating func insert(_ rows: [UInt32], scores: [Double], typos: [UInt8]) {
        guard var best else {
            all.reserveCapacity(all.count + rows.count)
            total += rows.count
            for (place, row) in rows.enumerated() {
                all.append(
                    ScoredRow(row: RowID(row), score: scores[place], typos: Int(typos[place])))
            }
            return
        }
        total += rows.count
        scores.withUnsafeBufferPointer { scores in
            typos.withUnsafeBufferPointer { typos in
                // What the last of the kept ones has: rows that are worse need no other look.
                var (mostTypos, leastScore) = (Int.max, -Double.infinity)
                var place = 0
                while place < rows.count {
                    let (score, own) = (scores[place], Int(typos[place]))
                    if own < mostTypos || own == mostTypos && score >= leastScore {
                        best.insert(ScoredRow(row: RowID(rows[place]), score: score, typos: own))
                        if let last = best.last {
                            (mostTypos, leastScore) = (last.typos, last.score)
                        }
                    }
                    place &+= 1
                }
            }
        }
        self.best = best
    }

    /// Those that were kept, best first.
    func sorted() -> [ScoredRow] { best?.sorted() ?? all.sorted { $0.precedes($1) } }

    /// Those that were kept; if these are all, in no order.
    var rows: [ScoredRow] { best?.sorted() ?? all }
}
