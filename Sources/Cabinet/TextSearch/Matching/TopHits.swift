import CabinetBackend

/// A row that a search found. `Sendable`: a value.
struct ScoredRow: Sendable, Hashable {
    let row: RowID
    let score: Double
    /// How many typos were forgiven.
    let typos: Int

    /// Whether this comes before `other`: fewer typos, then the higher score, then the lower row.
    func precedes(_ other: ScoredRow) -> Bool {
        if typos != other.typos { return typos < other.typos }
        return score == other.score ? row < other.row : score > other.score
    }
}

/// Keeps the first of many hits, in memory for those alone. `Sendable`: a value.
struct TopHits: Sendable {
    let limit: Int
    /// How many were given.
    private(set) var total = 0
    /// A heap, the last of the kept ones at its root.
    private var heap: [ScoredRow] = []

    /// - Parameter limit: how many are kept; 0 only counts.
    init(limit: Int) { self.limit = max(limit, 0) }

    /// The last of those that are kept, before which another one has to come to be kept; `nil` while any
    /// is.
    var last: ScoredRow? { heap.count < limit ? nil : heap.first }

    /// Takes a hit.
    mutating func insert(_ hit: ScoredRow) {
        total += 1
        guard limit > 0 else { return }
        if heap.count < limit {
            heap.append(hit)
            var index = heap.count - 1
            while index > 0, heap[(index - 1) / 2].precedes(heap[index]) {
                heap.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        } else if hit.precedes(heap[0]) {
            heap[0] = hit
            sink()
        }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var last = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[last].precedes(heap[child]) { last = child }
            }
            guard last != index else { return }
            heap.swapAt(index, last)
            index = last
        }
    }

    /// Those that were kept, the first one first.
    func sorted() -> [ScoredRow] { heap.sorted { $0.precedes($1) } }
}
