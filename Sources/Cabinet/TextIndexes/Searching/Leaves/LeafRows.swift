/// The rows in which one leaf of a search stands in one field, with what their scores are made of.
///
/// The rows of one term, which other leaves may have, too, and beside them those of all other terms: while
/// a word is typed or misspelt, most rows are those of one frequent word each time.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class LeafRows {
    let base: CountedRows
    /// How many typos the term of the base has.
    private let typos: UInt8
    /// The rows of other terms, counted by these alone; `nil` if there are none.
    let rest: CountedRows?
    /// How many rows there are.
    let count: Int
    /// Whether the base is counted elsewhere.
    let isBaseShared: Bool
    /// All rows, in ascending order; made each time, where there are rows of other terms.
    var rows: [UInt32] { rest.map { RowList.union(base.rows, $0.rows) } ?? base.rows }

    init(
        _ base: CountedRows, typos: Int = 0, rest: CountedRows? = nil, isBaseShared: Bool = false
    ) {
        self.base = base
        self.typos = UInt8(clamping: typos)
        self.rest = rest
        self.isBaseShared = isBaseShared
        let index = base.index
        count = base.count + (rest?.rows.count { index.place(of: $0) == nil } ?? 0)
    }

    /// About how many bytes of memory it takes.
    var size: Int { 512 + (isBaseShared ? 0 : base.size) + (rest?.size ?? 0) }

    /// Those of `others` in which the leaf stands, too.
    func intersection(_ others: [UInt32]) -> [UInt32] {
        let found = base.index.intersection(others)
        return rest.map { RowList.union(found, $0.index.intersection(others)) } ?? found
    }

    /// Gives scores to rows of a leaf.
    struct Scorer {
        let leaf: LeafRows
        private let statistics: SearchStatistics
        private let weight: Double
        /// Of each kind of the base and of the rest.
        private let base: [Double]
        let rest: [Double]
        /// The rows in the rest.
        let others: [UInt32]

        init(_ leaf: LeafRows, _ statistics: SearchStatistics, weight: Double) {
            (self.leaf, self.statistics, self.weight) = (leaf, statistics, weight)
            func scores(_ rows: CountedRows) -> [Double] {
                rows.kinds.map {
                    statistics.score(
                        weight: weight, frequency: Int($0.frequency), length: Int($0.length))
                }
            }
            base = scores(leaf.base)
            rest = leaf.rest.map(scores) ?? []
            others = leaf.rest?.rows ?? []
        }

        @inline(__always)
        func inBase(_ kind: Int) -> (score: Double, typos: UInt8) {
            (base[kind], leaf.typos &+ leaf.base.kinds[kind].typos)
        }

        /// Of a row in the rest, which may be in the base, too.
        func sum(
            _ own: Int?, _ other: CountedRows.Kind, _ score: Double
        ) -> (score: Double, typos: UInt8) {
            guard let own else { return (score, other.typos) }
            let kind = leaf.base.kinds[own]
            let sum = min(Int(kind.frequency) + Int(other.frequency), Int(UInt32.max))
            return (
                statistics.score(weight: weight, frequency: sum, length: Int(other.length)),
                min(leaf.typos &+ kind.typos, other.typos)
            )
        }

        /// Adds to the scores and typos of some rows, in each of which the leaf stands.
        func add(_ rows: [UInt32], _ scores: inout [Double], _ typos: inout [UInt8]) {
            let inBase = leaf.base.kinds(of: rows)
            let inRest = leaf.rest?.kinds(of: rows) ?? []
            let typosInBase = leaf.base.kinds.map { leaf.typos &+ $0.typos }
            let others = leaf.rest?.kinds ?? []
            for place in inBase.indices {
                let own = Int(inBase[place])
                let other = inRest.isEmpty ? -1 : Int(inRest[place])
                var found: (score: Double, typos: UInt8) = (0, 0)
                if other >= 0 {
                    found = sum(own < 0 ? nil : own, others[other], rest[other])
                } else if own >= 0 {
                    found = (base[own], typosInBase[own])
                }
                scores[place] += found.score
                if found.typos > 0 {
                    typos[place] = UInt8(clamping: Int(typos[place]) + Int(found.typos))
                }
            }
        }

        /// Inserts the best rows, without a look at most of them. `false` if that cannot be done, and some
        /// may be inserted.
        /// - Parameter passed: rows that do not count, in ascending order.
        func insertBest(into found: inout FoundRows, _ limit: Int, passed: [UInt32]) -> Bool {
            let (leaf, others) = (self.leaf, self.leaf.rest)
            let counted = leaf.base
            guard passed.count <= CountedRows.firstRows,
                limit <= CountedRows.firstRows - passed.count,
                counted.first.count == counted.kinds.count
            else { return false }
            if let others {
                for (place, row) in others.rows.enumerated() where !passed.has(row) {
                    let number = Int(others.kindOfRow[place])
                    let (score, typos) = sum(
                        counted.kind(of: row), others.kinds[number], rest[number])
                    found.insertUncounted(row, score, typos)
                }
            }
            for kind in counted.kinds.indices {
                let (score, typos) = inBase(kind)
                guard found.mayTake(score, typos) else { continue }
                var inserted = 0
                for row in counted.first[kind].rows where inserted < limit {
                    if passed.has(row) || others?.index.place(of: row) != nil { continue }
                    found.insertUncounted(row, score, typos)
                    inserted += 1
                }
                guard inserted == limit || counted.first[kind].areAll else { return false }
            }
            return true
        }
    }
}

extension [UInt32] {
    /// Whether a number is among these, which are in ascending order.
    func has(_ number: UInt32) -> Bool {
        guard !isEmpty else { return false }
        return withUnsafeBufferPointer {
            let place = $0.lowerBound(of: number)
            return place < $0.count && $0[place] == number
        }
    }
}
