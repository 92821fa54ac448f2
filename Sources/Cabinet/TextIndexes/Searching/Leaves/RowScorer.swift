/// Gives scores to rows of one leaf of a search, one after the other.
protocol RowScorer {
    /// What the leaf adds for a row; `nil` if it does not stand in its text.
    /// - Parameter place: 0 at first, then what the row before, which is a lesser one, has left there.
    func found(in row: UInt32, _ place: inout Int) -> (score: Double, typos: UInt8)?
}

extension LeafRows.Scorer: RowScorer {
    @inline(__always)
    func found(in row: UInt32, _ place: inout Int) -> (score: Double, typos: UInt8)? {
        let own = leaf.base.kind(of: row)
        if let number = kind(inRest: row, &place), let others = leaf.rest {
            return sum(own, others.kinds[number], rest[number])
        }
        return own.map { inBase($0) }
    }

    /// The kind of a row in the rest.
    @inline(__always)
    private func kind(inRest row: UInt32, _ place: inout Int) -> Int? {
        // Among few rows, going on from the row before takes less than a look-up.
        guard others.count < 4096 else { return leaf.rest?.kind(of: row) }
        while place < others.count, others[place] < row { place &+= 1 }
        guard place < others.count, others[place] == row else { return nil }
        return leaf.rest.map { Int($0.kindOfRow[place]) }
    }

    /// Gives the rows of this leaf in which another one stands, too, to `best`, and returns how many there
    /// are.
    /// - Parameter passed: rows that do not count, in ascending order.
    func insertBest(
        into best: inout BestRows, with other: some RowScorer, passed: [UInt32]
    ) -> Int {
        let kinds = leaf.rest?.kinds ?? []
        let kindOfRow = leaf.rest?.kindOfRow ?? []
        var (total, place) = (0, 0)
        for (index, row) in others.enumerated() {
            guard let more = other.found(in: row, &place), passed.isEmpty || !passed.has(row)
            else { continue }
            let number = Int(kindOfRow[index])
            let own = sum(leaf.base.kind(of: row), kinds[number], rest[number])
            total &+= 1
            best.take(row, own.score + more.score, Int(own.typos) + Int(more.typos))
        }
        return total + insertBestOfBase(into: &best, with: other, passed: passed)
    }

    /// The same for the rows that are in the base alone.
    private func insertBestOfBase(
        into best: inout BestRows, with other: some RowScorer, passed: [UInt32]
    ) -> Int {
        let (rows, kindOfRow) = (leaf.base.rows, leaf.base.kindOfRow)
        var (total, place, next) = (0, 0, 0)
        for index in 0..<rows.count {
            let row = rows[index]
            while next < others.count, others[next] < row { next &+= 1 }
            if next < others.count, others[next] == row { continue }
            guard let more = other.found(in: row, &place), passed.isEmpty || !passed.has(row)
            else { continue }
            let own = inBase(Int(kindOfRow[index]))
            total &+= 1
            best.take(row, own.score + more.score, Int(own.typos) + Int(more.typos))
        }
        return total
    }
}
