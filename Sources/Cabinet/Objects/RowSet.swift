import CabinetBackend

/// A set of rows: a bit each, in blocks of 4,096 rows that are made when first needed.
struct RowSet {
    private var blocks: [UInt32: [UInt64]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func contains(_ row: RowID) -> Bool {
        guard count > 0, let block = blocks[Self.block(of: row)] else { return false }
        return block[Self.word(of: row)] & Self.bit(of: row) != 0
    }

    /// Whether the row was new to the set.
    @discardableResult
    mutating func insert(_ row: RowID) -> Bool {
        let isNew = Self.set(
            Self.bit(of: row),
            in: &blocks[Self.block(of: row), default: Self.none][Self.word(of: row)])
        count += isNew ? 1 : 0
        return isNew
    }

    private static func set(_ bit: UInt64, in word: inout UInt64) -> Bool {
        defer { word |= bit }
        return word & bit == 0
    }

    /// Whether the row was in the set.
    @discardableResult
    mutating func remove(_ row: RowID) -> Bool {
        guard contains(row) else { return false }
        blocks[Self.block(of: row)]?[Self.word(of: row)] &= ~Self.bit(of: row)
        count -= 1
        return true
    }

    private static let none = [UInt64](repeating: 0, count: 64)

    private static func block(of row: RowID) -> UInt32 { row.rawValue >> 12 }
    private static func word(of row: RowID) -> Int { row.index >> 6 & 63 }
    private static func bit(of row: RowID) -> UInt64 { 1 << UInt64(row.rawValue & 63) }
}
