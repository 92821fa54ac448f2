import CabinetBackend
import CabinetTextSearch

/// Which kinds of rows of one leaf may still be among the best rows that have another leaf, too.
struct OpenKinds {
    /// What rows of each kind get at most from both leaves.
    private let most: [(score: Double, typos: Int)]
    /// 1 for a kind that is open, 0 for others.
    private var marks: [UInt8]
    private(set) var areAny = true
    private var last: ScoredRow?

    /// - Parameters:
    ///   - own: what rows of each kind get from the one leaf.
    ///   - others: what rows of each kind get from the other one. The length of a text is the same for both.
    init(_ own: [ScoredKind], _ others: [ScoredKind]) {
        typealias Most = (score: Double, typos: UInt8)
        func more(_ most: Most?, _ kind: ScoredKind) -> Most {
            guard let most else { return (kind.score, kind.typos) }
            return (max(most.score, kind.score), min(most.typos, kind.typos))
        }
        var ofLength: [UInt32: Most] = [:]
        var ofAll: Most?
        for kind in others {
            ofLength[kind.length] = more(ofLength[kind.length], kind)
            ofAll = more(ofAll, kind)
        }
        most = own.map { kind in
            // What a damaged index says may have no length in common.
            let other = ofLength[kind.length] ?? ofAll ?? (0, 0)
            return (kind.score + other.score, Int(kind.typos) + Int(other.typos))
        }
        marks = Array(repeating: 1, count: own.count)
    }

    /// 1 for a kind that is open, 0 for others.
    @inline(__always)
    subscript(kind: Int) -> Int { Int(marks[kind]) }

    /// Closes the kinds of which no row behind `row` is among the best any more.
    mutating func close(_ best: BestRows, behind row: UInt32) {
        guard let last = best.hits.last, last != self.last else { return }
        self.last = last
        let isBefore = last.row <= RowID(row)
        areAny = false
        for (kind, most) in most.enumerated() {
            let isOpen =
                most.typos < last.typos
                || most.typos == last.typos
                    && (most.score > last.score || most.score == last.score && !isBefore)
            marks[kind] = isOpen ? 1 : 0
            areAny = areAny || isOpen
        }
    }
}
