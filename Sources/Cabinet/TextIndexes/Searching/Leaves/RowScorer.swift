/// Gives scores to rows of one leaf of a search, one after the other.
protocol RowScorer {
    /// What the leaf adds for a row; `nil` if it does not stand in its text.
    /// - Parameter place: 0 at first, then what the row before, which is a lesser one, has left there.
    func found(in row: UInt32, _ place: inout Int) -> (score: Double, typos: UInt8)?

    /// What is known of those of some rows in which the leaf stands.
    func kinds(among others: RowIndex) -> RowKinds
    /// What a row of each kind gets.
    var scoresOfKinds: [(score: Double, typos: UInt8)] { get }
}

/// Rows with the numbers of their kinds.
struct RowKinds {
    /// In ascending order.
    let rows: [UInt32]
    /// Of each row; -1 for one that has to be asked by itself.
    let kinds: [Int32]
    /// Further rows, which have to be asked by themselves, in ascending order.
    let others: [UInt32]
}

extension LeafRows.Scorer: RowScorer {
    func kinds(among others: RowIndex) -> RowKinds {
        // Most rows of frequent words are in one list only: these are told by their bits.
        let rows = leaf.base.index.intersection(others)
        var kinds = leaf.base.kinds(of: rows)
        guard let rest = leaf.rest else { return RowKinds(rows: rows, kinds: kinds, others: []) }
        rows.withUnsafeBufferPointer { rows in
            rest.index.forEachPlace(of: rows) { number, _ in kinds[number] = -1 }
        }
        let further = rest.index.intersection(others).filter { leaf.base.kind(of: $0) == nil }
        return RowKinds(rows: rows, kinds: kinds, others: further)
    }

    var scoresOfKinds: [(score: Double, typos: UInt8)] {
        leaf.base.kinds.indices.map { inBase($0) }
    }

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
        let known = other.kinds(among: leaf.base.index)
        let own = leaf.base.kinds(of: known.rows)
        let (mine, theirs) = (scoresOfKinds, other.scoresOfKinds)
        var (total, place, next) = (0, 0, 0)
        for index in 0..<known.rows.count {
            let row = known.rows[index]
            while next < others.count, others[next] < row { next &+= 1 }
            if next < others.count, others[next] == row { continue }
            let kind = Int(known.kinds[index])
            guard let more = kind < 0 ? other.found(in: row, &place) : theirs[kind],
                passed.isEmpty || !passed.has(row)
            else { continue }
            let (score, typos) = mine[Int(own[index])]
            total &+= 1
            best.take(row, score + more.score, Int(typos) + Int(more.typos))
        }
        place = 0
        for row in known.others where !others.has(row) && !passed.has(row) {
            guard let kind = leaf.base.kind(of: row), let more = other.found(in: row, &place)
            else { continue }
            let own = inBase(kind)
            total &+= 1
            best.take(row, own.score + more.score, Int(own.typos) + Int(more.typos))
        }
        return total
    }
}
