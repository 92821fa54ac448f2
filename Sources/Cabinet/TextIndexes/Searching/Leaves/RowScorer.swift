/// Gives scores to rows of one leaf of a search, one after the other.
protocol RowScorer {
    /// What the leaf adds for a row; `nil` if it does not stand in its text.
    /// - Parameter place: 0 at first, then what the row before, which is a lesser one, has left there.
    func found(in row: UInt32, _ place: inout Int) -> (score: Double, typos: UInt8)?

    /// The rows of which kinds are known, if other leaves may have the same.
    var countedRows: CountedRows? { get }

    /// Calls `body` with those of `others` of which kinds are known.
    func forEachChunk(among others: RowIndex, _ body: (UnsafeBufferPointer<UInt32>) -> Void)

    /// Writes the numbers of the kinds of such rows to `kinds`; -1 for one that has to be asked by itself.
    /// - Parameter place: 0 for the first rows, then what those before have left there.
    func copyKinds(
        of rows: UnsafeBufferPointer<UInt32>, to kinds: UnsafeMutableBufferPointer<Int32>,
        _ place: inout Int)

    /// Sets the kinds of such rows that have to be asked by themselves to -1; as for ``copyKinds(of:to:_:)``.
    func markRest(
        of rows: UnsafeBufferPointer<UInt32>, in kinds: UnsafeMutableBufferPointer<Int32>,
        _ place: inout Int)

    /// What a row of each kind gets.
    var scoresOfKinds: [(score: Double, typos: UInt8)] { get }

    /// Those of `others` of which no kinds are known, in ascending order.
    func further(among others: RowIndex) -> [UInt32]
}

extension LeafRows.Scorer: RowScorer {
    var countedRows: CountedRows? { leaf.base }

    @inline(__always)
    func forEachChunk(among others: RowIndex, _ body: (UnsafeBufferPointer<UInt32>) -> Void) {
        RowChunks.forEach(commonTo: leaf.base.index, others, body)
    }

    @inline(__always)
    func copyKinds(
        of rows: UnsafeBufferPointer<UInt32>, to kinds: UnsafeMutableBufferPointer<Int32>,
        _ place: inout Int
    ) {
        leaf.base.kindOfRow.withUnsafeBufferPointer { kindOfRow in
            leaf.base.index.forEachPlace(of: rows) { number, own in
                kinds[number] = Int32(kindOfRow[own])
            }
        }
        markRest(of: rows, in: kinds, &place)
    }

    // There are few in the rest mostly.
    @inline(__always)
    func markRest(
        of rows: UnsafeBufferPointer<UInt32>, in kinds: UnsafeMutableBufferPointer<Int32>,
        _ place: inout Int
    ) {
        guard let first = rows.first, let last = rows.last else { return }
        others.withUnsafeBufferPointer { others in
            while place < others.count, others[place] < first { place &+= 1 }
            while place < others.count, others[place] <= last {
                let own = rows.lowerBound(of: others[place])
                if rows[own] == others[place] { kinds[own] = -1 }
                place &+= 1
            }
        }
    }

    func further(among others: RowIndex) -> [UInt32] {
        guard let rest = leaf.rest else { return [] }
        return others.intersection(rest.rows).filter { leaf.base.kind(of: $0) == nil }
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
        let (mine, theirs) = (scoresOfKinds, other.scoresOfKinds)
        var (total, place, ownPlace, otherPlace) = (0, 0, 0, 0)
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * RowChunks.size) { memory in
            let own = UnsafeMutableBufferPointer(rebasing: memory[..<RowChunks.size])
            let known = UnsafeMutableBufferPointer(rebasing: memory[RowChunks.size...])
            func take(_ rows: UnsafeBufferPointer<UInt32>) {
                for index in 0..<rows.count where own[index] >= 0 {
                    let row = rows[index]
                    let kind = Int(known[index])
                    guard let more = kind < 0 ? other.found(in: row, &place) : theirs[kind],
                        passed.isEmpty || !passed.has(row)
                    else { continue }
                    let (score, typos) = mine[Int(own[index])]
                    total &+= 1
                    best.take(row, score + more.score, Int(typos) + Int(more.typos))
                }
            }
            guard other.countedRows !== leaf.base else {
                // As of a word, and of another one with a typo.
                var start = 0
                RowChunks.forEach(leaf.base.rows) { rows in
                    for index in 0..<rows.count {
                        own[index] = Int32(leaf.base.kindOfRow[start &+ index])
                        known[index] = own[index]
                    }
                    start &+= rows.count
                    markRest(of: rows, in: own, &ownPlace)
                    other.markRest(of: rows, in: known, &otherPlace)
                    take(rows)
                }
                return
            }
            other.forEachChunk(among: leaf.base.index) { rows in
                copyKinds(of: rows, to: own, &ownPlace)
                other.copyKinds(of: rows, to: known, &otherPlace)
                take(rows)
            }
        }
        place = 0
        for row in other.further(among: leaf.base.index) where !others.has(row) && !passed.has(row)
        {
            guard let kind = leaf.base.kind(of: row), let more = other.found(in: row, &place)
            else { continue }
            let own = inBase(kind)
            total &+= 1
            best.take(row, own.score + more.score, Int(own.typos) + Int(more.typos))
        }
        return total
    }
}
