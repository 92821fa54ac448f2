import CabinetBackend

/// What a session knows of the tables that other programs see as columns. A value.
struct ShownTables {
    /// Of which directory of tables this is known; -1: of none.
    private var directory: Int64 = -1
    /// Whether columns are shown at all.
    private(set) var isOn = false
    /// As of which commit the catalog was read; -1: it was not.
    private var commit: Int64 = -1
    private var tables: [TableNumber: ShownTable] = [:]

    subscript(table: TableNumber) -> ShownTable? { tables[table] }

    /// Looks whether columns are shown. In the transaction of a commit.
    mutating func look(_ session: Session) throws(BackendError) {
        guard session.state.directory != directory else { return }
        isOn = try session.host.showsColumns(session.connection)
        (directory, commit, tables) = (session.state.directory, -1, [:])
    }

    /// Whether what is known of records holds for the next commit.
    /// - Parameter touchesCatalog: whether that changes the catalog itself.
    mutating func isCurrent(
        touchesCatalog: Bool, _ session: Session
    ) throws(BackendError) -> Bool {
        guard commit >= 0, !touchesCatalog else { return false }
        guard commit != session.state.last else { return true }
        // Others have committed meanwhile.
        let changed = try session.statement(
            "SELECT MAX(made) FROM \(SQLSchema.name(.named, .catalog))")
        guard try changed.firstNumber() ?? 0 <= commit else { return false }
        commit = session.state.last
        return true
    }

    /// Takes what was read as of a commit that is under way.
    mutating func take(_ tables: [ShownTable], at commit: Int64, changesColumns: Bool) {
        self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.number, $0) })
        // It may be taken back, and with it the columns.
        self.commit = -1
        if changesColumns { directory = -1 }
    }

    /// A commit was made as of which all of this holds.
    mutating func note(_ number: Int64) { if isOn { commit = number } }
}

extension SQLHost {
    /// Whether other programs see columns, by the table `shown`.
    package func showsColumns(_ connection: any SQLConnection) throws(BackendError) -> Bool {
        false
    }
}
