extension LeafRows.Scorer {
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
        place = 0
        for row in other.others {
            guard let kind = leaf.base.kind(of: row), !others.has(row), !passed.has(row),
                let more = other.found(in: row, &place)
            else { continue }
            let own = inBase(kind)
            total &+= 1
            best.take(row, own.score + more.score, Int(own.typos) + Int(more.typos))
        }
        return total + insertBestOfKinds(into: &best, with: other, passed: passed)
    }

    /// The same for the rows that get what their kinds in both leaves say.
    ///
    /// All are counted, but scores are made only of those that may be among the best: of some kinds, and soon
    /// of none, as very many rows are of the same few kinds, of which the first rows come before all others.
    private func insertBestOfKinds(
        into best: inout BestRows, with other: some RowScorer, passed: [UInt32]
    ) -> Int {
        let left = RowList.union(RowList.union(others, other.others), passed)
        var total = -left.count { hasKind($0) && other.hasKind($0) }
        var place = 0
        var open = OpenKinds(kinds, other.kinds)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: CommonRows.size) { memory in
            for section in 0..<other.sections(of: leaf.base) {
                let common = other.copyCommon(section, of: leaf.base, open, to: memory)
                total &+= common.count
                guard common.copied > 0 else { continue }
                for row in memory[..<common.copied] where !left.has(row) {
                    guard let kind = leaf.base.kind(of: row),
                        let more = other.found(in: row, &place)
                    else { continue }
                    let own = inBase(kind)
                    best.take(row, own.score + more.score, Int(own.typos) + Int(more.typos))
                }
                open.close(best, behind: memory[common.copied - 1])
            }
        }
        return total
    }
}
