import CabinetBackend

/// A row that a search found. `Sendable`: a value.
package struct ScoredRow: Sendable, Hashable {
    package let row: RowID
    package let score: Double
    /// How many typos were forgiven.
    package let typos: Int

    @inlinable @inline(__always)
    package init(row: RowID, score: Double, typos: Int) {
        (self.row, self.score, self.typos) = (row, score, typos)
    }

    /// Whether this comes before `other`: fewer typos, then the higher score, then the lower row.
    package func precedes(_ other: ScoredRow) -> Bool {
        if typos != other.typos { return typos < other.typos }
        return score == other.score ? row < other.row : score > other.score
    }
}

/// Keeps the first of many hits, in memory for those alone. `Sendable`: a value.
package struct TopHits: Sendable {
    package let limit: Int
    /// How many were given.
    private(set) var total = 0
    /// A heap, the last of the kept ones at its root.
    private var heap: [ScoredRow] = []

    /// - Parameter limit: how many are kept; 0 only counts.
    package init(limit: Int) { self.limit = max(limit, 0) }

    /// The last of those that are kept, before which another one has to come to be kept; `nil` while any
    /// is.
    package var last: ScoredRow? { heap.count < limit ? nil : heap.first }

    /// Takes a hit.
    package mutating func insert(_ hit: ScoredRow) {
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
    package func sorted() -> [ScoredRow] { heap.sorted { $0.precedes($1) } }
}
