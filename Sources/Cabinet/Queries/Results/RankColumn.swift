/// Values of each match as numbers in their order, `nil` before all of them.
final class RankColumn: SortColumn {
    private let source: (ClassFields) -> (RowCursor) throws -> UInt64?
    private let isDescending: Bool
    private var read: ((RowCursor) throws -> UInt64?)?
    private var ranks: [UInt64] = []
    private var areValues: [Bool] = []
    private var hasNone = false

    /// - Parameter source: makes what reads the numbers of a class.
    init(_ isDescending: Bool, _ source: @escaping (ClassFields) -> (RowCursor) throws -> UInt64?) {
        self.source = source
        self.isDescending = isDescending
    }

    override func turn(to fields: ClassFields) { read = source(fields) }

    override func append(_ cursor: RowCursor) throws {
        let rank = try read?(cursor)
        ranks.append(rank ?? 0)
        areValues.append(rank != nil)
        if rank == nil { hasNone = true }
    }

    override func removeLast() {
        ranks.removeLast()
        areValues.removeLast()
    }

    override func keep(_ indices: [Int]) {
        ranks = indices.map { ranks[$0] }
        areValues = indices.map { areValues[$0] }
    }

    override func order(_ one: Int, _ other: Int) -> Int {
        let order: Int
        if areValues[one] != areValues[other] {
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
