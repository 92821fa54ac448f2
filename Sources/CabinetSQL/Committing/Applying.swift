import CabinetBackend

/// Makes the operations of one commit happen in the tables of a session, within its transaction. Not
/// `Sendable`: the committing thread has it.
final class Applying {
    private let session: Session
    private let commit: Int64
    private var changes: [TableNumber: TableChanges] = [:]
    private var latest: (table: TableNumber, changes: TableChanges)?
    private var dropped: Set<TableNumber> = []
    /// Whether the commit has changed the table of tables.
    private(set) var changesTables = false

    init(_ session: Session, commit: Int64) {
        self.session = session
        self.commit = commit
    }

    /// What of a batch is applied.
    enum Part {
        case all
        /// What says how records of tables are read: the catalog, and definitions of tables of records.
        case catalog
        /// The rest.
        case content

        func contains(_ operation: Operation) -> Bool {
            if self == .all { return true }
            let isOfCatalog =
                switch operation {
                case .putKey(.catalog, _, _), .deleteKey(.catalog, _): true
                case .define(let definition): definition.kind == .record
                default: false
                }
            return isOfCatalog == (self == .catalog)
        }
    }

    /// Applies operations that a ``BatchDraft`` has found to be possible.
    func apply(_ operations: UnsafeRawBufferPointer, _ part: Part = .all) throws(BackendError) {
        let limit = session.host.limits.largestRecord
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            guard part.contains(operation) else { continue }
            switch operation {
            case .putRow(let table, let row, let stored):
                guard stored.count <= limit else { throw .tooLarge(limit: limit) }
                try changes(of: table).put(stored, at: .row(row))
            case .deleteRow(let table, let row):
                try changes(of: table).delete(.row(row))
            case .putKey(let table, let key, let stored):
                guard key.count + stored.count <= limit else { throw .tooLarge(limit: limit) }
                try changes(of: table).put(stored, at: .key(key))
            case .deleteKey(let table, let key):
                try changes(of: table).delete(.key(key))
            case .define(let definition): try define(definition)
            case .drop(let table): try drop(table)
            case .note, .unknown: break
            }
        }
    }

    private func changes(of table: TableNumber) throws(BackendError) -> TableChanges {
        if let latest, latest.table == table { return latest.changes }
        let made: TableChanges
        if let found = changes[table] {
            made = found
        } else {
            guard let kind = session.tables.kind(of: table) else { throw .noTable(table) }
            made = try TableChanges(kind, table, at: commit, session)
            changes[table] = made
        }
        latest = (table, made)
        return made
    }

    // MARK: Tables

    private func define(_ definition: TableDefinition) throws(BackendError) {
        let number = definition.number
        let isNew = session.tables.kindOfContent(number) == nil
        session.tables.define(definition, at: commit)
        changesTables = true
        try run("DELETE FROM tables WHERE number = $1 AND since = $2", number)
        try run(
            "UPDATE tables SET until = $2 WHERE number = $1 AND until = \(SQLSchema.open)", number)
        let insert = try session.statement(
            "INSERT INTO tables VALUES ($1, $2, \(SQLSchema.open), $3, $4, $5, $6, $7, 0)")
        insert.bind(Int64(number.rawValue), at: 1)
        insert.bind(commit, at: 2)
        insert.bind(Int64(definition.kind.rawValue), at: 3)
        insert.bind(definition.name, at: 4)
        insert.bind(Int64(definition.classNumber), at: 5)
        insert.bind(Int64(definition.classVersion), at: 6)
        insert.bind(Int64(definition.flags.rawValue), at: 7)
        try insert.run()
        guard isNew else { return }
        try session.connection.run(
            SQLSchema.table(definition.kind, number, session.host.words))
        let next = try session.statement(
            "UPDATE store SET next_table = $1 WHERE next_table < $1")
        next.bind(Int64(number.rawValue) + 1)
        try next.run()
    }

    private func drop(_ number: TableNumber) throws(BackendError) {
        session.tables.drop(number, at: commit)
        changesTables = true
        dropped.insert(number)
        try run(
            "UPDATE tables SET until = $2 WHERE number = $1 AND until = \(SQLSchema.open)", number)
    }

    private func run(_ text: String, _ number: TableNumber) throws(BackendError) {
        let statement = try session.statement(text)
        statement.bind(Int64(number.rawValue), commit)
        try statement.run()
    }

    // MARK: Counts

    /// Counts what was applied, and keeps the counts of before for readers of earlier commits.
    func finish(_ usage: WriteBatch.TableUsages) throws(BackendError) {
        var highest: [TableNumber: RowID] = [:]
        for table in changes.keys { highest[table] = RowID.none }
        for table in dropped { highest[table] = RowID.none }
        for use in usage { highest[use.table] = use.highestRow }
        for (table, row) in highest.inOrder(by: { $0.key < $1.key }) {
            try count(table, highest: row)
        }
    }

    private func count(_ table: TableNumber, highest row: RowID) throws(BackendError) {
        let before = try NumbersOfTable(table, session)
        var after = before
        after.rows =
            dropped.contains(table) ? 0 : before.rows + Int64(changes[table]?.added ?? 0)
        after.use(row)
        guard after != before else { return }
        try after.write(to: session)
        guard after.rows != before.rows else { return }
        let keep = try session.statement(.keepCount)
        keep.bind(Int64(table.rawValue), commit, before.rows)
        try keep.run()
    }
}

/// What is counted of a table. A value.
struct NumbersOfTable: Equatable {
    let table: TableNumber
    var rows: Int64 = 0
    /// The highest row that was ever committed, or that is left to a session that gave no sign of life.
    var highest: Int64 = 0
    /// The row to give out next.
    var next = Int64(RowID.first.rawValue)

    init(_ table: TableNumber, _ session: Session) throws(BackendError) {
        self.table = table
        let statement = try session.statement(.numbers)
        defer { statement.reset() }
        statement.bind(Int64(table.rawValue))
        guard try statement.step() else { return }
        (rows, highest, next) = (statement.number(0), statement.number(1), statement.number(2))
    }

    /// A row was committed, and is not given out any more.
    mutating func use(_ row: RowID) {
        highest = max(highest, Int64(row.rawValue))
        next = max(next, highest + 1)
    }

    func write(to session: Session) throws(BackendError) {
        let statement = try session.statement(.setNumbers)
        statement.bind(Int64(table.rawValue), rows, highest, next)
        try statement.run()
    }
}
