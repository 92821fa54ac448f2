import CabinetBackend

/// A set of rows: a bit each, in blocks of 4,096 rows that are made when first needed.
struct RowSet {
    private var blocks: [UInt32: [UInt64]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func contains(_ row: RowID) -> Bool {
        guard count > 0, let block = blocks[row >> 12] else { return false }
        return block[Int(row >> 6) & 63] & (1 << UInt64(row & 63)) != 0
    }

    /// Whether the row was new to the set.
    @discardableResult
    mutating func insert(_ row: RowID) -> Bool {
        guard !contains(row) else { return false }
        let bit: UInt64 = 1 << UInt64(row & 63)
        blocks[row >> 12, default: [UInt64](repeating: 0, count: 64)][Int(row >> 6) & 63] |= bit
        count += 1
        return true
    }

    /// Whether the row was in the set.
    @discardableResult
    mutating func remove(_ row: RowID) -> Bool {
        guard contains(row) else { return false }
        blocks[row >> 12]?[Int(row >> 6) & 63] &= ~(1 << UInt64(row & 63))
        count -= 1
        return true
    }
}
