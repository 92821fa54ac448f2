import CabinetBackend

/// What becomes of the tables while operations go by: their definitions, of which the last one
/// counts, their last commits, and the rows and numbers that were ever used.
struct TableHistory {
    private enum Form: UInt8 {
        case unknown, rows, keys, dropped
    }

    private var definitions: [TableNumber: TableDefinition] = [:]
    /// By table number.
    private var forms = [Form](repeating: .unknown, count: Int(TableNumber.max) + 1)
    private var lastLSNs = [CommitNumber](repeating: 0, count: Int(TableNumber.max) + 1)
    private var highestRows = [RowID](repeating: 0, count: Int(TableNumber.max) + 1)
    private(set) var highestTable = TableNumber.namedBuffers

    /// The tables that are always there, and those of an old snapshot.
    init(_ snapshot: SnapshotReader?) throws(BackendError) {
        let always = [
            TableDefinition(number: .catalog, kind: .named, name: "Catalog"),
            TableDefinition(number: .namedBuffers, kind: .named, name: "NamedBuffers"),
        ]
        for definition in always { try define(definition, lsn: 0) }
        guard let snapshot else { return }
        for table in snapshot.tables { try define(table.state) }
        highestTable = max(highestTable, snapshot.highestTable)
    }

    /// The tables that are there now, in the order of their numbers.
    var tables: [TableState] {
        definitions.values.sorted { $0.number < $1.number }.map { definition in
            TableState(
                definition: definition, lastLSN: lastLSNs[Int(definition.number)],
                highestRow: highestRows[Int(definition.number)])
        }
    }

    /// Whether entries of `group` still have a table.
    @inline(__always)
    func isLive(_ group: UInt32) -> Bool {
        forms[Int(group >> 1)] == (group & 1 == 1 ? .keys : .rows)
    }

    /// Notes that `entry` was committed as part of `lsn`.
    /// - Throws: ``BackendError/noTable(_:)`` if its table is not defined, or of another kind.
    @inline(__always)
    mutating func note(_ entry: TableEntry, lsn: CommitNumber) throws(BackendError) {
        let place = Int(entry.group >> 1)
        guard forms[place] == (entry.hasKey ? .keys : .rows) else { throw .noTable(entry.table) }
        if lastLSNs[place] < lsn { lastLSNs[place] = lsn }
        if !entry.hasKey, entry.stored != nil, highestRows[place] < entry.row {
            highestRows[place] = entry.row
        }
    }

    /// - Throws: ``BackendError/noTable(_:)`` for the number of a dropped table, which is never
    ///   used again, and for a change of kind, which a table never makes.
    mutating func define(_ definition: TableDefinition, lsn: CommitNumber) throws(BackendError) {
        let place = Int(definition.number)
        let form = definition.kind == .record ? Form.rows : .keys
        let kind = definitions[definition.number]?.kind ?? definition.kind
        guard forms[place] == .unknown || forms[place] == form, kind == definition.kind else {
            throw .noTable(definition.number)
        }
        forms[place] = form
        definitions[definition.number] = definition
        lastLSNs[place] = max(lastLSNs[place], lsn)
        highestTable = max(highestTable, definition.number)
    }

    /// Takes `state` for at least what it says.
    mutating func define(_ state: TableState) throws(BackendError) {
        try define(state.definition, lsn: state.lastLSN)
        let place = Int(state.definition.number)
        highestRows[place] = max(highestRows[place], state.highestRow)
    }

    mutating func drop(_ table: TableNumber) {
        forms[Int(table)] = .dropped
        definitions[table] = nil
        highestTable = max(highestTable, table)
    }
}
