import CabinetBackend

/// A table of records whose values other programs see as columns. Not `Sendable`: it belongs to a session.
final class ShownTable {
    let number: TableNumber
    /// The names of the columns, quoted, in the order of ``values(of:at:)``.
    let columns: [String]
    private let table: (any TranslatedTable)?
    /// Where the values of columns stand among those of the table.
    private let places: [Int?]

    /// - Parameters:
    ///   - columns: of each column the field and its name.
    ///   - table: takes records apart; `nil`: nothing does, and all columns are NULL.
    init(
        _ number: TableNumber, _ columns: [(field: String, name: String)],
        _ table: (any TranslatedTable)?
    ) {
        self.number = number
        self.columns = columns.map { ShownName.quoted($0.name) }
        self.table = table
        places = columns.map { column in
            table?.fields.firstIndex { $0.name == column.field }
        }
    }

    /// The columns of a row; all NULL for a record that cannot be taken apart.
    func values(of stored: UnsafeRawBufferPointer, at row: RowID) -> [PlainValue] {
        guard let values = table?.values(of: StoredValue.value(stored), at: row) else {
            return [PlainValue](repeating: .none, count: places.count)
        }
        return places.map { place in place.map { values[$0] } ?? .none }
    }
}

/// Names in SQL.
enum ShownName {
    static func quoted(_ name: String) -> String { "\"\(name)\"" }

    /// A name for a field or class, without what means something else in SQL, be it quoted.
    static func plain(_ name: String) -> String {
        String(name.map { "\"$?\0".contains($0) ? "_" : $0 })
    }

    /// Whether ``free(_:_:)`` may have made `name` of `wanted`.
    static func `is`(_ name: String, freeFrom wanted: String) -> Bool {
        if name == wanted { return true }
        guard name.hasPrefix(wanted + "_") else { return false }
        return Int(name.dropFirst(wanted.count + 1)).map { $0 > 1 } == true
    }

    /// A name like `wanted` that is not taken, in any case of letters. Takes it.
    static func free(_ wanted: String, _ taken: inout Set<String>) -> String {
        var name = wanted
        var number = 2
        while !taken.insert(name.lowercased()).inserted {
            name = "\(wanted)_\(number)"
            number += 1
        }
        return name
    }
}

extension SQLStatement {
    /// Binds values of columns from a parameter on.
    func bind(_ values: [PlainValue], from first: Int32) {
        for (offset, value) in values.enumerated() {
            let index = first + Int32(offset)
            switch value {
            case .none: bindNull(at: index)
            case .integer(let number): bind(number, at: index)
            case .real(let number): bind(number, at: index)
            case .text(let text): bind(text, at: index)
            case .bytes(let bytes): bind(copyOf: bytes, at: index)
            }
        }
    }
}
