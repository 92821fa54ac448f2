import CChecksum
import CabinetBackend

@testable import CabinetTokyo

/// A row or key of a table; rows are their big-endian bytes, so that bytes give the order.
struct EntryKey: Hashable, Comparable {
    var table: TableNumber
    var key: [UInt8]

    init(_ table: TableNumber, key: [UInt8]) {
        self.table = table
        self.key = key
    }

    init(_ table: TableNumber, row: RowID) {
        self.init(table, key: withUnsafeBytes(of: row.rawValue.bigEndian) { Array($0) })
    }

    static func < (one: EntryKey, other: EntryKey) -> Bool {
        one.table == other.table
            ? one.key.lexicographicallyPrecedes(other.key) : one.table < other.table
    }
}

/// A value and where it stands, for comparing what was read.
struct Stored: Hashable {
    var place: EntryKey
    var bytes: [UInt8]
}

/// The CRC that belongs behind `value`, by the table of remainders.
func sum(key: [UInt8], value: [UInt8]) -> [UInt8] {
    let both = key + value
    let sum = cabinet_crc32c_table(0, both, both.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
}

/// What a store should hold, kept in the plainest way.
struct StoreModel {
    var values: [EntryKey: [UInt8]] = [:]
    var tables: [TableNumber: TableState] = [:]
    var highestTable: TableNumber = 1
    var commitNumber: CommitNumber = 0

    init() {
        for (number, name) in [(TableNumber.catalog, "Catalog"), (.namedBuffers, "NamedBuffers")] {
            tables[number] = TableState(
                definition: TableDefinition(number: number, kind: .named, name: name))
        }
    }

    var states: [TableState] {
        tables.values.sorted { $0.definition.number < $1.definition.number }
    }

    /// The values of some tables, or all, in order.
    func sorted(in wanted: Set<TableNumber>? = nil) -> [Stored] {
        values.filter { wanted?.contains($0.key.table) ?? true }
            .map { Stored(place: $0.key, bytes: $0.value) }
            .sorted { $0.place < $1.place }
    }

    mutating func define(_ definition: TableDefinition, in batch: WriteBatch) throws {
        try batch.define(definition)
        highestTable = max(highestTable, definition.number)
        var state = tables[definition.number] ?? TableState(definition: definition)
        state.definition = definition
        state.lastCommit = commitNumber
        tables[definition.number] = state
    }

    mutating func drop(_ table: TableNumber, in batch: WriteBatch) throws {
        try batch.drop(table)
        tables[table] = nil
        values = values.filter { $0.key.table != table }
    }

    mutating func put(_ value: [UInt8], row: RowID, in table: TableNumber, _ batch: WriteBatch)
        throws
    {
        let buffer = batch.beginRecord(row, in: table)
        value.withUnsafeBytes { buffer.writeRawBytes($0) }
        try batch.endRecord()
        values[EntryKey(table, row: row)] = value + sum(key: Array("\(row)".utf8), value: value)
        let highest = tables[table]?.highestRow ?? 0
        tables[table]?.lastCommit = commitNumber
        tables[table]?.highestRow = max(highest, row)
    }

    mutating func delete(row: RowID, in table: TableNumber, _ batch: WriteBatch) throws {
        try batch.deleteRow(row, in: table)
        values[EntryKey(table, row: row)] = nil
        tables[table]?.lastCommit = commitNumber
    }

    mutating func put(_ value: [UInt8], key: [UInt8], in table: TableNumber, _ batch: WriteBatch)
        throws
    {
        try value.withUnsafeBytes { value throws in
            try key.withUnsafeBytes { try batch.put(value, for: $0, in: table) }
        }
        values[EntryKey(table, key: key)] = value + sum(key: key, value: value)
        tables[table]?.lastCommit = commitNumber
    }

    mutating func delete(key: [UInt8], in table: TableNumber, _ batch: WriteBatch) throws {
        try key.withUnsafeBytes { try batch.deleteKey($0, in: table) }
        values[EntryKey(table, key: key)] = nil
        tables[table]?.lastCommit = commitNumber
    }
}

extension SnapshotReader {
    /// Everything in the tables asked for, in the order in which it comes.
    func contents(in tables: Set<TableNumber>? = nil) throws(BackendError) -> [Stored] {
        var all: [Stored] = []
        try forEachOperation(in: tables) { operation in
            switch operation {
            case .putRow(let table, let row, let stored):
                all.append(Stored(place: EntryKey(table, row: row), bytes: Array(stored)))
            case .putKey(let table, let key, let stored):
                all.append(Stored(place: EntryKey(table, key: Array(key)), bytes: Array(stored)))
            default:
                all.append(Stored(place: EntryKey(.max, key: []), bytes: []))
            }
        }
        return all
    }
}

extension SnapshotWriter {
    /// Writes the whole of `model`.
    mutating func write(_ model: StoreModel) throws {
        for state in model.states { try define(state) }
        for stored in model.sorted() {
            let table = stored.place.table
            try stored.bytes.withUnsafeBytes { bytes throws in
                if model.tables[table]?.definition.kind == .record {
                    let row = RowID(stored.place.key.reduce(0) { $0 << 8 | UInt32($1) })
                    try append(.putRow(table: table, row: row, stored: bytes))
                } else {
                    try stored.place.key.withUnsafeBytes { key throws in
                        try append(.putKey(table: table, key: key, stored: bytes))
                    }
                }
            }
        }
        try finish()
    }
}
