import CabinetBackend

/// Gives tables of records the columns that their fields need, in the transaction of a commit.
///
/// | in the database | |
/// |---|---|
/// | `shown` | for each column its table, the field and the column's name; for an empty field the name of the view |
/// | a view of the name of the class | `row` and the columns of the fields that it has |
/// | the trigger `r_N_shown` | refuses to change columns without their records |
struct ColumnMaking {
    let session: Session
    private let commit: Int64
    /// The columns of each table, in the order in which they were made.
    private(set) var known: [TableNumber: [(field: String, name: String)]] = [:]
    private(set) var views: [TableNumber: String] = [:]
    /// Whether something of the tables was changed.
    private(set) var changesColumns = false

    /// So many fields of a class are shown at most; SQLite has 2,000 columns.
    private static let mostColumns = 1000

    init(_ session: Session, commit: Int64) throws(BackendError) {
        self.session = session
        self.commit = commit
        let statement = try session.statement("SELECT tbl, field, name FROM shown ORDER BY place")
        defer { statement.reset() }
        while try statement.step() {
            let table = TableNumber(UInt16(truncatingIfNeeded: statement.number(0)))
            if statement.text(1).isEmpty {
                views[table] = statement.text(2)
            } else {
                known[table, default: []].append((statement.text(1), statement.text(2)))
            }
        }
    }

    /// What makes the table of columns.
    static func table(_ words: SQLWords) -> String {
        "CREATE TABLE shown (place \(words.rowNumber), tbl \(words.integer) NOT NULL, "
            + "field TEXT NOT NULL, name TEXT NOT NULL)"
    }

    /// Sees that all tables have their columns.
    /// - Parameters:
    ///   - translated: the tables of records that can be taken apart.
    ///   - refills: whether the columns of all rows are to be written.
    mutating func make(
        _ translated: [any TranslatedTable], refills: Bool
    ) throws(BackendError) -> [ShownTable] {
        let present = Set(session.tables.all(at: commit).map(\.number))
        for table in views.keys.inOrder() where !present.contains(table) { try forget(table) }
        var made: [ShownTable] = []
        for table in translated {
            let (shown, isNew) = try make(table)
            if refills || isNew { try refill(shown) }
            made.append(shown)
        }
        let others = known.keys.inOrder().filter { number in
            !translated.contains { $0.number == number }
        }
        for number in others { made.append(ShownTable(number, known[number] ?? [], nil)) }
        return made
    }

    /// Returns the table, and whether its rows may have values that stand in no column yet.
    private mutating func make(
        _ table: any TranslatedTable
    ) throws(BackendError) -> (ShownTable, isNew: Bool) {
        let number = table.number
        let fields = table.fields.prefix(Self.mostColumns)
        var columns = known[number] ?? []
        let missing = fields.filter { field in !columns.contains { $0.field == field.name } }
        var taken: Set<String> = ["row", "made", "value"]
        taken.formUnion(columns.map { $0.name.lowercased() })
        for field in missing {
            let name = ShownName.free(ShownName.plain(field.name), &taken)
            try session.connection.run(
                "ALTER TABLE r_\(number) ADD COLUMN \(ShownName.quoted(name))")
            try note(number, field.name, name)
            columns.append((field.name, name))
        }
        known[number] = columns
        let own = fields.compactMap { field in columns.first { $0.field == field.name } }
        let shown = ShownTable(number, own, table)
        let view = views[number]
        let isNamed = view.map { ShownName.is($0, freeFrom: Self.viewName(table.name)) } == true
        if !missing.isEmpty || !isNamed { try makeView(shown, named: isNamed ? view : nil, table) }
        return (shown, missing.contains { $0.isInEarlierRecords })
    }

    private mutating func makeView(
        _ shown: ShownTable, named name: String?, _ table: any TranslatedTable
    ) throws(BackendError) {
        let number = shown.number
        if let former = views[number] {
            try session.connection.run("DROP VIEW IF EXISTS \(ShownName.quoted(former))")
        }
        if name == nil {
            try run("DELETE FROM shown WHERE field = '' AND tbl = $1", Int64(number.rawValue))
            var taken = try names()
            let made = ShownName.free(Self.viewName(table.name), &taken)
            try note(number, "", made)
            views[number] = made
        }
        let columns = shown.columns.joined(separator: ", ")
        try session.connection.run(
            "CREATE VIEW \(ShownName.quoted(views[number] ?? table.name)) AS SELECT "
                + (["row"] + shown.columns).joined(separator: ", ") + " FROM r_\(number)")
        try session.connection.run("DROP TRIGGER IF EXISTS r_\(number)_shown")
        changesColumns = true
        guard !shown.columns.isEmpty else { return }
        // Each commit changes what it writes: `made`, or, of a row that it writes twice, the record.
        let changes = shown.columns.map { "NEW.\($0) IS NOT OLD.\($0)" }.joined(separator: " OR ")
        try session.connection.run(
            "CREATE TRIGGER r_\(number)_shown BEFORE UPDATE OF \(columns) ON r_\(number) "
                + "WHEN NEW.made = OLD.made AND NEW.value = OLD.value AND (\(changes)) BEGIN "
                + "SELECT RAISE(ABORT, 'columns follow from records, and are not changed without "
                + "them'); END")
    }

    /// Not the name of a table that may be made later, nor one that SQLite keeps for itself.
    private static func viewName(_ name: String) -> String {
        let folded = name.lowercased()
        let isKept = ["r_", "o_", "past_", "sqlite_"].contains { folded.hasPrefix($0) }
        return isKept ? "class_" + name : name
    }

    /// All names of tables and views, in lower case.
    private func names() throws(BackendError) -> Set<String> {
        let statement = try session.statement("SELECT name FROM sqlite_master")
        defer { statement.reset() }
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0).lowercased()) }
        return names
    }

    private mutating func note(
        _ table: TableNumber, _ field: String, _ name: String
    ) throws(BackendError) {
        let insert = try session.statement(
            "INSERT INTO shown (tbl, field, name) VALUES ($1, $2, $3)")
        insert.bind(Int64(table.rawValue), at: 1)
        insert.bind(field, at: 2)
        insert.bind(name, at: 3)
        try insert.run()
        changesColumns = true
    }

    private mutating func forget(_ table: TableNumber) throws(BackendError) {
        if let view = views.removeValue(forKey: table) {
            try session.connection.run("DROP VIEW IF EXISTS \(ShownName.quoted(view))")
        }
        known[table] = nil
        try run("DELETE FROM shown WHERE tbl = $1", Int64(table.rawValue))
        changesColumns = true
    }

    private func run(_ text: String, _ number: Int64) throws(BackendError) {
        let statement = try session.statement(text)
        statement.bind(number)
        try statement.run()
    }

    // MARK: Rows

    /// So many rows are in memory at a time.
    private static let slice = 500

    /// Writes the columns of all rows.
    private func refill(_ table: ShownTable) throws(BackendError) {
        let rows = try session.statement(
            "SELECT row, made, value FROM r_\(table.number) WHERE row > $1 ORDER BY row "
                + "LIMIT \(Self.slice)")
        // Other than an update it may write what no commit has changed.
        let replace = try session.statement(
            "INSERT OR REPLACE INTO r_\(table.number) "
                + SQLText.columns(table.columns, from: ["row", "made", "value"]))
        var last: Int64 = -1
        while true {
            var found: [(row: Int64, made: Int64, stored: [UInt8])] = []
            rows.bind(last)
            while try rows.step() {
                found.append((rows.number(0), rows.number(1), [UInt8](rows.bytes(2))))
            }
            rows.reset()
            guard let end = found.last else { return }
            for (row, made, stored) in found {
                try stored.withUnsafeBytesThrowing { stored throws(BackendError) in
                    replace.bind(row, made)
                    replace.bind(stored, at: 3)
                    let number = RowID(UInt32(truncatingIfNeeded: row))
                    // A record that is damaged is shown as nothing.
                    let values =
                        StoredValue.isSound(stored, of: number)
                        ? table.values(of: stored, at: number)
                        : [PlainValue](repeating: .none, count: table.columns.count)
                    replace.bind(values, from: 4)
                    try replace.run()
                }
            }
            last = end.row
        }
    }
}
