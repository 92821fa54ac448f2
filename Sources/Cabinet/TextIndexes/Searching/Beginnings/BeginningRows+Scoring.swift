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
    var countedRows: CountedRows? { nil }

    @inline(__always)
    func forEachChunk(among others: RowIndex, _ body: (UnsafeBufferPointer<UInt32>) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: RowChunks.size) { chunk in
            RowChunks.forEach(others.rows) { own in
                let count = rows.copyIntersection(own, to: chunk)
                if count > 0 { body(UnsafeBufferPointer(rebasing: chunk[..<count])) }
            }
        }
    }

    @inline(__always)
    func copyKinds(
        of others: UnsafeBufferPointer<UInt32>, to kinds: UnsafeMutableBufferPointer<Int32>,
        _ place: inout Int
    ) {
        for index in 0..<others.count {
            kinds[index] = Int32(truncatingIfNeeded: rows.number(of: others[index]))
        }
    }

    func markRest(
        of rows: UnsafeBufferPointer<UInt32>, in kinds: UnsafeMutableBufferPointer<Int32>,
        _ place: inout Int
    ) {}

    func further(among others: RowIndex) -> [UInt32] { [] }

    var scoresOfKinds: [(score: Double, typos: UInt8)] { scores.map { ($0, 0) } }

    @inline(__always)
    func found(in row: UInt32, _ place: inout Int) -> (score: Double, typos: UInt8)? {
        let number = rows.number(of: row)
        return number == 0 ? nil : (scores[number], 0)
    }
}
