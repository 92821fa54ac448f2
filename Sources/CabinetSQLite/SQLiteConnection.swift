#if SQLite
    import CSQLite
    import CabinetBackend
    import CabinetSQL

    /// A connection to a file of SQLite's.
    final class SQLiteConnection: SQLConnection {
        private let handle: OpaquePointer
        private let path: String
        private var isClosed = false
        /// Whether what is written now is synced; `nil`: as SQLite has it.
        private var isSafe: Bool?
        private var texts: [String: SQLiteStatement] = [:]

        /// - Parameters:
        ///   - flags: of `sqlite3_open_v2`.
        ///   - patience: for how many milliseconds to wait for others who write.
        init(_ path: String, flags: Int32, patience: Int32) throws(BackendError) {
            var opened: OpaquePointer?
            let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
            guard code == SQLITE_OK, let opened else {
                defer { sqlite3_close_v2(opened) }
                throw SQLiteFailure.error(code, opened, path)
            }
            handle = opened
            self.path = path
            sqlite3_extended_result_codes(handle, 1)
            sqlite3_busy_timeout(handle, patience)
        }

        deinit { close() }

        /// Calls of a closed connection are those of a store that is closed.
        private func check(_ code: Int32) throws(BackendError) {
            guard code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE else {
                throw SQLiteFailure.error(code, handle, path)
            }
        }

        func prepare(_ text: String) throws(BackendError) -> any SQLStatement {
            var statement: OpaquePointer?
            // Parameters are numbered, not named.
            let text = String(text.map { $0 == "$" ? "?" : $0 })
            try check(sqlite3_prepare_v2(handle, text, -1, &statement, nil))
            guard let statement else { throw SQLiteFailure.error(SQLITE_MISUSE, handle, path) }
            return SQLiteStatement(statement, of: handle, path)
        }

        func run(_ text: String) throws(BackendError) {
            try check(sqlite3_exec(handle, text, nil, nil, nil))
        }

        /// Runs one of few pieces of SQL again and again.
        private func runOften(_ text: String) throws(BackendError) {
            if let known = texts[text] {
                try known.run()
                return
            }
            var made: OpaquePointer?
            try check(sqlite3_prepare_v2(handle, text, -1, &made, nil))
            guard let made else { throw SQLiteFailure.error(SQLITE_MISUSE, handle, path) }
            let statement = SQLiteStatement(made, of: handle, path)
            texts[text] = statement
            try statement.run()
        }

        func begin(_ purpose: TransactionPurpose) throws(BackendError) {
            guard case .writing(let isSafe) = purpose else { return try runOften("BEGIN") }
            if self.isSafe != isSafe {
                try run("PRAGMA synchronous = \(isSafe ? "FULL" : "NORMAL")")
                self.isSafe = isSafe
            }
            try runOften("BEGIN IMMEDIATE")
        }

        func commit() throws(BackendError) { try runOften("COMMIT") }

        func rollBack() {
            // Some errors have ended the transaction already.
            if sqlite3_get_autocommit(handle) == 0 { try? runOften("ROLLBACK") }
        }

        func close() {
            guard !isClosed else { return }
            isClosed = true
            texts = [:]
            // Statements that are still there keep it until they go.
            sqlite3_close_v2(handle)
        }
    }
#endif
