import CabinetBackend

/// All that a dictionary engine holds: a value, so that a batch is applied to a copy and a failure
/// leaves nothing behind.
struct State: Sendable {
    struct Table: Sendable {
        var definition: TableDefinition
        var rows: [RowID: [UInt8]] = [:]
        var keys: [[UInt8]: [UInt8]] = [:]
    }

    var tables: [TableNumber: Table] = [
        .catalog: Table(
            definition: TableDefinition(number: .catalog, kind: .named, name: "Catalog")),
        .namedBuffers: Table(
            definition: TableDefinition(
                number: .namedBuffers, kind: .named, name: "NamedBuffers")),
    ]
    var dropped: Set<TableNumber> = []
    var nextTable = TableNumber.firstFree.index
    var nextRows: [TableNumber: RowID] = [:]
    var claims = TableClaims()
    var lastCommit: CommitNumber = 0
    var isClosed = false

    mutating func takeTable() throws(BackendError) -> TableNumber {
        guard let number = UInt16(exactly: nextTable) else { throw .tablesExhausted }
        nextTable += 1
        return TableNumber(number)
    }

    mutating func apply(_ operations: UnsafeRawBufferPointer) {
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putRow(let table, let row, let stored):
                tables[table]?.rows[row] = Array(stored.dropLast(Operation.checksumSize))
                if row >= nextRows[table] ?? RowID.first {
                    nextRows[table] = row == .max ? .max : row.next
                }
            case .deleteRow(let table, let row): tables[table]?.rows[row] = nil
            case .putKey(let table, let key, let stored):
                tables[table]?.keys[Array(key)] = Array(stored.dropLast(Operation.checksumSize))
            case .deleteKey(let table, let key): tables[table]?.keys[Array(key)] = nil
            case .define(let definition):
                tables[definition.number, default: Table(definition: definition)].definition =
                    definition
                nextTable = max(nextTable, definition.number.index + 1)
            case .drop(let table):
                tables[table] = nil
                nextRows[table] = nil
                dropped.insert(table)
            case .note, .unknown: break
            }
        }
    }
}

extension State: TableDirectory {
    func kind(of number: TableNumber) -> TableKind? { tables[number]?.definition.kind }
    func definition(of number: TableNumber) -> TableDefinition? { tables[number]?.definition }
    func isSpent(_ number: TableNumber) -> Bool { dropped.contains(number) }

    /// All tables but the two that are always there, by number.
    var definitions: [TableDefinition] {
        tables.values.map(\.definition).filter { $0.number >= .firstFree }
            .sorted { $0.number < $1.number }
    }
}

extension State: StateBeforeBatch {
    func contains(row: RowID, in table: TableNumber) -> Bool {
        tables[table]?.rows[row] != nil
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) -> Bool { copy(tables[table]?.keys[Array(key)], into: buffer) }

    func hasCommits(since basis: CommitNumber) -> Bool { basis < lastCommit }
}

/// Replaces what `buffer` holds by `value`. `false`: there is none, and the buffer is empty.
func copy(_ value: [UInt8]?, into buffer: DataBuffer) -> Bool {
    buffer.removeAll()
    value?.withUnsafeBytes { buffer.writeRawBytes($0) }
    return value != nil
}
