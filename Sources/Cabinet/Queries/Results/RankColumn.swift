/// Values of each match as numbers in their order, `nil` before all of them.
final class RankColumn: SortColumn {
    private let source: (ClassFields) -> (RowCursor) throws -> UInt64?
    private let isDescending: Bool
    // Unchecked, because no code of the caller calls back into a column.
    @exclusivity(unchecked) private var read: ((RowCursor) throws -> UInt64?)?
    @exclusivity(unchecked) private var ranks: [UInt64] = []
    /// Whether each match has a value; empty as long as all have one.
    @exclusivity(unchecked) private var areValues: [Bool] = []
    @exclusivity(unchecked) private var hasNone = false

    /// - Parameter source: makes what reads the numbers of a class.
    init(_ isDescending: Bool, _ source: @escaping (ClassFields) -> (RowCursor) throws -> UInt64?) {
        self.source = source
        self.isDescending = isDescending
    }

    override func turn(to fields: ClassFields) { read = source(fields) }

    override func append(_ cursor: RowCursor) throws {
        let rank = try read?(cursor)
        if rank == nil, !hasNone {
            hasNone = true
            areValues = Array(repeating: true, count: ranks.count)
        }
        ranks.append(rank ?? 0)
        if hasNone { areValues.append(rank != nil) }
    }

    override func removeLast() {
        ranks.removeLast()
        if hasNone { areValues.removeLast() }
    }

    override func keep(_ indices: [Int]) {
        ranks = indices.map { ranks[$0] }
        if hasNone { areValues = indices.map { areValues[$0] } }
    }

    override func order(_ one: Int, _ other: Int) -> Int {
        let order: Int
        if hasNone, areValues[one] != areValues[other] {
            order = areValues[one] ? 1 : -1
        } else {
            order = ranks[one] < ranks[other] ? -1 : ranks[one] == ranks[other] ? 0 : 1
        }
        return isDescending ? -order : order
    }

    override func prefixes() -> [UInt64]? {
        ranks.indices.map { index in
            let prefix =
                !hasNone ? ranks[index] : areValues[index] ? ranks[index] >> 1 | 1 << 63 : 0
            return isDescending ? ~prefix : prefix
        }
    }
}
