import CabinetBackend

/// What becomes of the tables while operations go by: their definitions, of which the last one
/// counts, their last commits, and the rows and numbers that were ever used.
struct TableFates {
    private enum Form {
        case unknown, rows, keys, dropped
    }

    private struct Fate {
        var form = Form.unknown
        /// Whether a row or key was put or deleted since the old snapshot.
        var isTouched = false
        var lastCommit: CommitNumber = 0
        var highestRow: RowID = 0
    }

    private var definitions: [TableNumber: TableDefinition] = [:]
    /// By table number, as far as there are any.
    private var fates: [Fate] = []
    private(set) var highestTable = TableNumber.namedBuffers

    /// The tables that are always there, and those of an old snapshot.
    init(_ snapshot: SnapshotReader?) throws(BackendError) {
        let always = [
            TableDefinition(number: .catalog, kind: .named, name: "Catalog"),
            TableDefinition(number: .namedBuffers, kind: .named, name: "NamedBuffers"),
        ]
        for definition in always { try define(definition, commitNumber: 0) }
        guard let snapshot else { return }
        for table in snapshot.tables { try define(table.state) }
        highestTable = max(highestTable, snapshot.highestTable)
    }

    /// The tables that are there now, in the order of their numbers.
    var tables: [TableState] {
        definitions.values.inOrder { $0.number < $1.number }.map { definition in
            let fate = fates[definition.number.index]
            return TableState(
                definition: definition, lastCommit: fate.lastCommit, highestRow: fate.highestRow)
        }
    }

    /// Whether a row or key of `table` was put or deleted since the old snapshot.
    func isTouched(_ table: TableNumber) -> Bool {
        table.index < fates.count && fates[table.index].isTouched
    }

    /// Whether entries of `group` still have a table.
    @inline(__always)
    func isLive(_ group: UInt32) -> Bool {
        let position = Int(group >> 1)
        return position < fates.count && fates[position].form == (group & 1 == 1 ? .keys : .rows)
    }

    /// Notes that `entry` was committed as part of `commitNumber`.
    /// - Throws: ``BackendError/noTable(_:)`` if its table is not defined, or of another kind.
    @inline(__always)
    mutating func note(_ entry: TableEntry, commitNumber: CommitNumber) throws(BackendError) {
        guard isLive(entry.group) else { throw .noTable(entry.table) }
        let position = Int(entry.group >> 1)
        fates[position].isTouched = true
        if fates[position].lastCommit < commitNumber { fates[position].lastCommit = commitNumber }
        if !entry.hasKey, entry.stored != nil, fates[position].highestRow < entry.row {
            fates[position].highestRow = entry.row
        }
    }

    /// - Throws: ``BackendError/noTable(_:)`` for the number of a table that was dropped since the old
    ///   snapshot, which is not used again before the next one, and for a change of kind, which a table
    ///   never makes.
    mutating func define(
        _ definition: TableDefinition, commitNumber: CommitNumber
    ) throws(BackendError) {
        let position = use(definition.number)
        let kind = definitions[definition.number]?.kind ?? definition.kind
        guard fates[position].form != .dropped, kind == definition.kind else {
            throw .noTable(definition.number)
        }
        definitions[definition.number] = definition
        fates[position].form = kind == .record ? .rows : .keys
        fates[position].lastCommit = max(fates[position].lastCommit, commitNumber)
    }

    /// Takes `state` for at least what it says.
    mutating func define(_ state: TableState) throws(BackendError) {
        try define(state.definition, commitNumber: state.lastCommit)
        let position = Int(state.definition.number.rawValue)
        fates[position].highestRow = max(fates[position].highestRow, state.highestRow)
    }

    mutating func drop(_ table: TableNumber) {
        fates[use(table)].form = .dropped
        definitions[table] = nil
    }

    /// Sees that there is a fate for `table`.
    private mutating func use(_ table: TableNumber) -> Int {
        highestTable = max(highestTable, table)
        while fates.count <= table.index { fates.append(Fate()) }
        return table.index
    }
}
