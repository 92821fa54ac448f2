extension BeginningRows {
    /// Gives scores to rows of a beginning.
    struct Scorer {
        let rows: BeginningRows
        /// Of each number of a kind; of 0, which is none, 0.
        let scores: [Double]

        init(_ rows: BeginningRows, _ statistics: SearchStatistics, weight: Double) {
            self.rows = rows
            scores =
                [0]
                + rows.allKinds.map {
                    statistics.score(
                        weight: weight, frequency: Int($0.frequency), length: Int($0.length))
                }
        }

        /// Adds to the scores of some rows, in each of which the terms stand.
        func add(_ others: [UInt32], to sums: inout [Double]) {
            sums.withUnsafeMutableBufferPointer { sums in
                others.withUnsafeBufferPointer { others in
                    scores.withUnsafeBufferPointer { scores in
                        for place in 0..<others.count {
                            sums[place] += scores[rows.number(of: others[place])]
                        }
                    }
                }
            }
        }

        /// Inserts the best rows, without a look at most of them. `false` if that cannot be done, and some
        /// may be inserted.
        /// - Parameter passed: rows that do not count, in ascending order.
        func insertBest(into found: inout FoundRows, _ limit: Int, passed: [UInt32]) -> Bool {
            guard passed.count <= CountedRows.firstRows,
                limit <= CountedRows.firstRows - passed.count
            else { return false }
            for (kind, own) in rows.first.enumerated() {
                let score = scores[kind + 1]
                guard found.mayTake(score, 0) else { continue }
                var inserted = 0
                for row in own.rows where inserted < limit && !passed.has(row) {
                    found.insertUncounted(row, score, 0)
                    inserted += 1
                }
                guard inserted == limit || own.areAll else { return false }
            }
            return true
        }
    }
}

extension BeginningRows.Scorer: RowScorer {
    var kinds: [ScoredKind] {
        rows.allKinds.enumerated().map {
            ScoredKind(length: $1.length, score: scores[$0 + 1], typos: 0)
        }
    }

    var others: [UInt32] { [] }

    func hasKind(_ row: UInt32) -> Bool { rows.number(of: row) > 0 }

    func sections(of counted: CountedRows) -> Int { counted.sections }

    func copyCommon(
        _ section: Int, of counted: CountedRows, _ open: OpenKinds,
        to target: UnsafeMutableBufferPointer<UInt32>
    ) -> CommonRows {
        rows.copyCommon(section, of: counted, open, to: target)
    }

    @inline(__always)
    func found(in row: UInt32, _ place: inout Int) -> (score: Double, typos: UInt8)? {
        let number = rows.number(of: row)
        return number == 0 ? nil : (scores[number], 0)
    }
}
