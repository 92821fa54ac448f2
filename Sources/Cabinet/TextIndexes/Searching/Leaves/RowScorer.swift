/// Gives scores to rows of one leaf of a search, one after the other.
protocol RowScorer {
    /// What the leaf adds for a row; `nil` if it does not stand in its text.
    /// - Parameter place: 0 at first, then what the row before, which is a lesser one, has left there.
    func found(in row: UInt32, _ place: inout Int) -> (score: Double, typos: UInt8)?

    /// What rows of each kind get.
    var kinds: [ScoredKind] { get }

    /// The rows of which no kinds are known, or that get more than their kind says, in ascending order.
    var others: [UInt32] { get }

    /// Whether a row has a kind.
    func hasKind(_ row: UInt32) -> Bool

    /// How many sections ``copyCommon(_:of:_:to:)`` has for some rows.
    func sections(of counted: CountedRows) -> Int

    /// Looks at one section of some rows for those that have a kind here, too.
    /// - Parameters:
    ///   - open: which kinds are asked for.
    ///   - target: where the rows of these kinds go, with room for ``CommonRows/size`` of them.
    func copyCommon(
        _ section: Int, of counted: CountedRows, _ open: OpenKinds,
        to target: UnsafeMutableBufferPointer<UInt32>
    ) -> CommonRows
}

/// What rows of a kind get.
struct ScoredKind {
    let length: UInt32
    let score: Double
    let typos: UInt8
}

/// How many rows of a section two leaves have, and how many of these were copied.
struct CommonRows {
    /// So many rows at most has a section.
    static let size = 1024

    var count = 0
    var copied = 0
}

extension LeafRows.Scorer: RowScorer {
    var kinds: [ScoredKind] {
        leaf.base.kinds.indices.map { number in
            let (score, typos) = inBase(number)
            return ScoredKind(
                length: leaf.base.kinds[number].length, score: score, typos: typos)
        }
    }

    func hasKind(_ row: UInt32) -> Bool { leaf.base.index.place(of: row) != nil }

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

    func sections(of counted: CountedRows) -> Int {
        areByBits(counted) ? counted.index.bits.sections : counted.sections
    }

    private func areByBits(_ counted: CountedRows) -> Bool {
        leaf.base !== counted && !counted.index.bits.isEmpty && !leaf.base.index.bits.isEmpty
    }

    func copyCommon(
        _ section: Int, of counted: CountedRows, _ open: OpenKinds,
        to target: UnsafeMutableBufferPointer<UInt32>
    ) -> CommonRows {
        if areByBits(counted) {
            return counted.copyCommon(section, leaf.base.index.bits, open, to: target)
        }
        // The same rows are those of a word, and of another one with a typo.
        let areSame = leaf.base === counted
        return counted.copy(section, open, to: target) { row in
            areSame || leaf.base.index.place(of: row) != nil ? 1 : 0
        }
    }
}
