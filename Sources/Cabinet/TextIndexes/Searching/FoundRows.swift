import CabinetBackend
import CabinetTextSearch

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

    /// Inserts rows without scores and typos; only if all are kept.
    mutating func insert(_ rows: [UInt32]) {
        total += rows.count
        all.reserveCapacity(all.count + rows.count)
        for row in rows { all.append(ScoredRow(row: RowID(row), score: 0, typos: 0)) }
    }

    /// Inserts rows by their places.
    /// - Parameter scores: `nil` for 0; only if all are kept.
    mutating func insert(_ rows: [UInt32], scores: [Double]?, typos: [UInt8]) {
        guard best != nil, let scores else {
            all.reserveCapacity(all.count + rows.count)
            total += rows.count
            for (place, row) in rows.enumerated() {
                all.append(
                    ScoredRow(
                        row: RowID(row), score: scores?[place] ?? 0, typos: Int(typos[place])))
            }
            return
        }
        scores.withUnsafeBufferPointer { scores in
            typos.withUnsafeBufferPointer { typos in
                _ = insert { best in
                    for (place, row) in rows.enumerated() {
                        best.take(row, scores[place], Int(typos[place]))
                    }
                    return rows.count
                }
            }
        }
    }

    /// Inserts the rows that `body` gives to what it is called with; it returns how many rows there are.
    /// `false`, with nothing inserted, if not only the best ones are kept.
    mutating func insert(_ body: (inout BestRows) -> Int) -> Bool {
        guard let best else { return false }
        // The one copy of the hits is changed in place.
        self.best = nil
        var rows = BestRows(best)
        total += body(&rows)
        self.best = rows.hits
        return true
    }

    /// Those that were kept, best first.
    func sorted() -> [ScoredRow] { best?.sorted() ?? all.sorted { $0.precedes($1) } }

    /// Those that were kept; if these are all, in no order.
    var rows: [ScoredRow] { best?.sorted() ?? all }
}

/// The best of many rows that are given one after the other: of most, one comparison says that they are none of
/// these.
struct BestRows {
    private(set) var hits: TopHits
    /// What the last of the kept ones has.
    private var mostTypos = Int.max
    private var leastScore = -Double.infinity

    init(_ hits: TopHits) {
        self.hits = hits
        noteLast()
    }

    @inline(__always)
    mutating func take(_ row: UInt32, _ score: Double, _ typos: Int) {
        if typos < mostTypos || typos == mostTypos && score >= leastScore {
            insert(row, score, typos)
        }
    }

    @inline(never)
    private mutating func insert(_ row: UInt32, _ score: Double, _ typos: Int) {
        hits.insert(ScoredRow(row: RowID(row), score: score, typos: typos))
        noteLast()
    }

    private mutating func noteLast() {
        if let last = hits.last { (mostTypos, leastScore) = (last.typos, last.score) }
    }
}
