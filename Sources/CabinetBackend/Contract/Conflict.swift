/// A row or a key that is not as a batch requires it to be. `Sendable`: a value.
///
/// In order: by table, rows by number before keys by their bytes.
public enum Conflict: Hashable, Sendable, Comparable {
    /// The row has changed since the batch's basis, or is there and should not be.
    case row(RowID, table: TableNumber)
    /// The key has changed since the batch's basis, or is there and should not be.
    case key([UInt8], table: TableNumber)

    /// The table of the row or key.
    public var table: TableNumber {
        switch self {
        case .row(_, let table), .key(_, let table): table
        }
    }

    public static func < (one: Conflict, other: Conflict) -> Bool {
        guard one.table == other.table else { return one.table < other.table }
        return switch (one, other) {
        case (.row(let one, _), .row(let other, _)): one < other
        case (.key(let one, _), .key(let other, _)): one.lexicographicallyPrecedes(other)
        case (.row, .key): true
        case (.key, .row): false
        }
    }
}
