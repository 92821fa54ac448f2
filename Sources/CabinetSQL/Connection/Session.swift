import CabinetBackend

/// A connection with its prepared statements, and what is known of the store in its transaction.
///
/// Not `Sendable`: one thread at a time has it.
final class Session {
    let connection: any SQLConnection
    let host: any SQLHost
    private var prepared: [SQLText: any SQLStatement] = [:]
    /// As of the transaction that is under way, or the last one.
    @exclusivity(unchecked) var state = StoreState()
    @exclusivity(unchecked) var tables = TableVersions()
    /// What other programs see as columns, if this session writes.
    @exclusivity(unchecked) var shown = ShownTables()

    init(_ host: any SQLHost) throws(BackendError) {
        self.host = host
        connection = try host.connect()
    }

    /// A statement that is kept prepared.
    func statement(_ text: SQLText) throws(BackendError) -> any SQLStatement {
        if let found = prepared[text] { return found }
        let made = try connection.prepare(text.text(host.words))
        prepared[text] = made
        return made
    }

    /// A statement that is seldom used.
    func statement(_ text: String) throws(BackendError) -> any SQLStatement {
        try connection.prepare(text)
    }

    /// Runs `body` in a transaction, which is taken back if it throws.
    func transaction<Result>(
        _ purpose: TransactionPurpose, _ body: () throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try connection.begin(purpose)
        do throws(BackendError) {
            try look()
            let result = try body()
            try connection.commit()
            return result
        } catch {
            connection.rollBack()
            // The tables may be as in what was taken back, or not have been read to their end.
            state.directory = 0
            throw error
        }
    }

    /// Reads what is said of the whole store.
    private func look() throws(BackendError) {
        let known = state.directory
        try readState()
        guard state.directory != known else { return }
        // Of tables that are gone, too.
        prepared = [:]
        tables = try TableVersions(try statement(.tables), host)
    }

    private func readState() throws(BackendError) {
        let statement = try statement(.state)
        defer { statement.reset() }
        guard try statement.step() else { throw damaged("the table of the store") }
        state = StoreState(statement)
    }

    func close() {
        prepared = [:]
        connection.close()
    }

    /// Something in the store is not as this program, or one like it, writes it.
    func damaged(_ what: String) -> BackendError { host.damaged(what) }
}

extension SQLHost {
    /// Something in the store is not as this program, or one like it, writes it.
    package func damaged(_ what: String) -> BackendError {
        .engine(name: name, reason: "\(what) in \(location) is damaged. Nothing was changed.")
    }
}

/// What is said of a whole store, and changes with each commit. A value.
package struct StoreState: Equatable, Sendable {
    /// The number of the last commit.
    package var last: Int64 = 0
    /// What was before this commit is not known any more.
    package var oldest: Int64 = 0
    /// Grows with each change of the table of tables; 0 where that was not read.
    package var directory: Int64 = 0
    /// The changes of the commits after this one are kept.
    package var feedOldest: Int64 = 0
    /// The last commit that has changed the catalog, where the database says so.
    package var catalog: Int64 = 0
    /// The lines of commits, where the database says them with each answer.
    package var lines = ""
    /// How many bytes of operations these are.
    var feedSize: Int64 = 0
    /// Where the database was at the last commit.
    var place: Int64 = 0
    /// In which run of the machine a power cut could take back the last commit; 0: in none.
    var loose: Int64 = 0

    package init() {}

    init(_ statement: any SQLStatement) {
        last = statement.number(0)
        oldest = statement.number(1)
        directory = statement.number(2)
        feedOldest = statement.number(3)
        feedSize = statement.number(4)
        place = statement.number(5)
        loose = statement.number(6)
    }

    /// Makes it what the store says.
    func write(to session: Session) throws(BackendError) {
        let statement = try session.statement(.setState)
        statement.bind(last, oldest, directory, feedOldest, feedSize, place, loose)
        try statement.run()
    }
}

extension CommitNumber {
    /// As it stands in tables. No store has so many commits that one is negative.
    package var number: Int64 { Int64(truncatingIfNeeded: Swift.min(rawValue, UInt64(Int64.max))) }

    package init(number: Int64) { self.init(rawValue: UInt64(Swift.max(number, 0))) }
}
