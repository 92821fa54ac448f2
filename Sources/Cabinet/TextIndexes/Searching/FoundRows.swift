import CabinetBackend
import CabinetTextSearch

/// What a search has found: all rows, or the best of them.
struct FoundRows {
    /// How many rows there are in all.
    private(set) var total = 0
    private var all: [ScoredRow] = []
    private var best: TopHits?
    /// Another row has to come before this one to be kept; `nil` if any is kept.
    private var last: ScoredRow?

    init() {}

    /// - Parameters:
    ///   - rows: the first rows.
    ///   - best: how many are kept, the best ones; `nil` for all.
    init(_ rows: [ScoredRow], best: Int? = nil) {
        self.best = best.map { TopHits(limit: $0) }
        total = rows.count
        for row in rows { take(row) }
    }

    /// Whether only the best rows are kept.
    var keepsBest: Bool { best != nil }

    /// Adds to the number of rows those that ``take(_:_:_:)`` may be called with.
    mutating func count(_ rows: Int) {
        total += rows
        if best == nil { all.reserveCapacity(all.count + rows) }
    }

    /// Whether `row`, or one behind it, could be kept with that score or a lower one, and so many typos or more.
    @inline(__always)
    func mayTake(_ row: UInt32, _ score: Double, _ typos: Int) -> Bool {
        guard let last else { return true }
        if typos != last.typos { return typos < last.typos }
        return score > last.score || score == last.score && RowID(row) < last.row
    }

    /// Keeps a row that was counted, unless others are better.
    @inline(__always)
    mutating func take(_ row: UInt32, _ score: Double, _ typos: Int) {
        guard mayTake(row, score, typos) else { return }
        take(ScoredRow(row: RowID(row), score: score, typos: typos))
    }

    private mutating func take(_ row: ScoredRow) {
        guard best != nil else { return all.append(row) }
        best?.insert(row)
        last = best?.last
    }

    /// Inserts rows without scores and typos; only if all are kept.
    mutating func insert(_ rows: [UInt32]) {
        total += rows.count
        all.reserveCapacity(all.count + rows.count)
        for row in rows { all.append(ScoredRow(row: RowID(row), score: 0, typos: 0)) }
    }

    /// Those that were kept, best first.
    func sorted() -> [ScoredRow] { best?.sorted() ?? all.sorted { $0.precedes($1) } }

    /// Those that were kept; if these are all, in no order.
    var rows: [ScoredRow] { best?.sorted() ?? all }
}
