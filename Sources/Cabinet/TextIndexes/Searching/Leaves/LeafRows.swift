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
    private let isBaseShared: Bool
    /// All rows, in ascending order.
    private(set) lazy var rows = rest.map { RowList.union(base.rows, $0.rows) } ?? base.rows

    init(
        _ base: CountedRows, typos: Int = 0, rest: CountedRows? = nil, isBaseShared: Bool = false
    ) {
        self.base = base
        self.typos = UInt8(clamping: typos)
        self.rest = rest
        self.isBaseShared = isBaseShared
        count = base.count + (rest?.rows.count { base.index.place(of: $0) == nil } ?? 0)
    }

    /// About how many bytes of memory it takes: for the union of rows, too.
    var size: Int {
        1024 + (isBaseShared ? 0 : base.size) + (rest.map { $0.size + count * 4 } ?? 0)
    }

    func contains(_ row: UInt32) -> Bool {
        base.index.place(of: row) != nil || rest?.index.place(of: row) != nil
    }

    /// Those of `others` in which the leaf stands, too.
    func intersection(_ others: [UInt32]) -> [UInt32] {
        guard rest != nil else { return base.index.intersection(others) }
        return others.filter(contains)
    }

    /// Gives scores to rows of a leaf.
    struct Scorer {
        private let leaf: LeafRows
        private let statistics: SearchStatistics
        private let weight: Double
        /// Of each kind of the base and of the rest.
        private let base: [Double]
        private let rest: [Double]

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
        }

        /// What the leaf adds to the score of a row in which it stands, and its typos there.
        @inline(__always)
        func look(at row: UInt32) -> (score: Double, typos: UInt8) {
            let own = leaf.base.kind(of: row)
            guard let others = leaf.rest, let other = others.kind(of: row) else {
                return own.map(inBase) ?? (0, 0)
            }
            return sum(own, others.kinds[other], rest[other])
        }

        @inline(__always)
        private func inBase(_ kind: Int) -> (score: Double, typos: UInt8) {
            (base[kind], leaf.typos &+ leaf.base.kinds[kind].typos)
        }

        /// Of a row in the rest, which may be in the base, too.
        private func sum(
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
            // All of the base: their kinds are in the same order.
            let areAll = leaf.rest == nil && rows.count == leaf.base.count
            scores.withUnsafeMutableBufferPointer { scores in
                typos.withUnsafeMutableBufferPointer { typos in
                    for place in rows.indices {
                        let own =
                            areAll
                            ? inBase(Int(leaf.base.kindOfRow[place])) : look(at: rows[place])
                        scores[place] += own.score
                        if own.typos > 0 {
                            typos[place] = UInt8(clamping: Int(typos[place]) + Int(own.typos))
                        }
                    }
                }
            }
        }

        /// Inserts the best rows, without a look at most of them. `false` if that cannot be done, and some
        /// may be inserted.
        /// - Parameter passed: rows that do not count, in ascending order.
        func insertBest(into found: inout FoundRows, _ limit: Int, passed: [UInt32]) -> Bool {
            let (leaf, others) = (self.leaf, self.leaf.rest)
            let counted = leaf.base
            guard limit + passed.count <= CountedRows.firstRows,
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
    fileprivate func has(_ number: UInt32) -> Bool {
        guard !isEmpty else { return false }
        return withUnsafeBufferPointer {
            let place = $0.lowerBound(of: number)
            return place < $0.count && $0[place] == number
        }
    }
}
