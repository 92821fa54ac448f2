import CabinetBackend

/// Where something stands in a table. The bytes of a key must stay where they are while it is used.
enum Place {
    case row(RowID)
    case key(UnsafeRawBufferPointer)

    /// Makes it a parameter of a statement.
    @inline(__always)
    func bind(to statement: any SQLStatement, at index: Int32) {
        switch self {
        case .row(let row): statement.bind(Int64(row.rawValue), at: index)
        case .key(let key): statement.bind(key, at: index)
        }
    }
}
