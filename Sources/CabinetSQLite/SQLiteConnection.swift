#if SQLite
    import CLibrary
    import CSQLite
    import CSystem
    import CabinetBackend
    import CabinetSQL

    /// A connection to a file of SQLite's.
    final class SQLiteConnection: SQLConnection {
        private let handle: OpaquePointer
        private let path: String
        private let process = cabinet_process_number()
        private let patience: SQLitePatience
        private var isClosed = false
        /// Whether what is written now is synced; `nil`: as SQLite has it.
        private var isSafe: Bool?
        private var texts: [String: SQLiteStatement] = [:]
        private(set) var mayShowLater = false
        /// Whether a sync has failed, and the log may lack on the disk what it has in memory.
        private var logIsDoubtful = false
        /// The inode of the log since this connection wrote first: it stays as long as a connection is open.
        private var log: UInt64?

        /// - Parameters:
        ///   - flags: of `sqlite3_open_v2`.
        ///   - patience: for how many milliseconds to wait for others who write.
        init(_ path: String, flags: Int32, patience: Int64) throws(BackendError) {
            self.patience = SQLitePatience(milliseconds: patience)
            var opened: OpaquePointer?
            let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
            guard code == SQLITE_OK, let opened else {
                defer { sqlite3_close_v2(opened) }
                throw SQLiteFailure.error(code, opened, path)
            }
            handle = opened
            self.path = path
            sqlite3_extended_result_codes(handle, 1)
            self.patience.serve(handle)
            // Larger than SQLite's own, as writing back what was logged costs syncs.
            sqlite3_wal_autocheckpoint(handle, Self.pagesLogged)
        }

        deinit { close() }

        /// So many pages are logged before they are written back to the file.
        private static let pagesLogged: Int32 = 4000
        /// How many KiB of pages a connection keeps that writes; one that reads has SQLite's own 2 MiB, as there
        /// may be several.
        private static let pagesToWrite = 65_536

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

        /// Makes a statement of text that must be one, and take so many parameters.
        func prepareOne(
            _ text: String, parameters: Int
        ) throws(BackendError) -> SQLiteStatement {
            var statement: OpaquePointer?
            var rest = 0
            let code = text.withCString { start in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v2(handle, start, -1, &statement, &tail)
                rest = tail.map { strlen($0) } ?? 0
                return code
            }
            if code == SQLITE_AUTH { throw unclear("The text does more than read tables.") }
            try check(code)
            guard let statement else { throw unclear("There is no question in the text.") }
            let made = SQLiteStatement(statement, of: handle, path)
            let isOne = text.utf8.suffix(rest).allSatisfy { $0 <= 0x20 || $0 == UInt8(ascii: ";") }
            guard isOne else { throw unclear("The text is more than one statement.") }
            let wanted = sqlite3_bind_parameter_count(statement)
            guard wanted == parameters else {
                throw unclear("The text has \(wanted) parameters, and \(parameters) were given.")
            }
            return made
        }

        private func unclear(_ reason: String) -> BackendError {
            .engine(name: SQLiteFailure.engine, reason: reason)
        }

        /// Statements that are prepared from now on may read tables, and do nothing else.
        func refuseAllButReading() {
            sqlite3_set_authorizer(
                handle,
                { _, action, _, _, _, _ in
                    switch action {
                    case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: SQLITE_OK
                    default: SQLITE_DENY
                    }
                }, nil)
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
            mayShowLater = false
            try checkPlace()
            if logIsDoubtful, isSafe { try beginLogAnew() }
            if self.isSafe == nil { try run("PRAGMA cache_size = -\(Self.pagesToWrite)") }
            if self.isSafe != isSafe {
                try run("PRAGMA synchronous = \(isSafe ? "FULL" : "NORMAL")")
                self.isSafe = isSafe
            }
            try runOften("BEGIN IMMEDIATE")
            if log == nil { log = inodeOfLog }
        }

        // MARK: Where the file is

        /// - Throws: ``BackendError/replaced(path:)`` if the file or its log was removed, or another one put in
        ///   its place: what is written then is found by no other connection.
        private func checkPlace() throws(BackendError) {
            var isMoved: Int32 = 0
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
            guard isMoved == 0, log == nil || log == inodeOfLog else {
                throw BackendError.replaced(path: path)
            }
        }

        private var inodeOfLog: UInt64? {
            var status = stat()
            // By the path that was found when the file was opened.
            guard let file = sqlite3_db_filename(handle, "main"),
                stat(String(cString: file) + "-wal", &status) == 0
            else { return nil }
            return UInt64(status.st_ino)
        }

        func commit() throws(BackendError) {
            do throws(BackendError) { try runOften("COMMIT") } catch {
                // Where writing the log has failed, its last commit is not whole. Otherwise it is, and who reads
                // the log anew after a crash finds it.
                switch sqlite3_extended_errcode(handle) {
                case SQLITE_FULL, Self.failedWrite: break
                case let code where code & 0xFF == SQLITE_BUSY: break
                default: (mayShowLater, logIsDoubtful) = (true, true)
                }
                throw error
            }
        }

        /// `SQLITE_IOERR_WRITE`, a macro that Swift does not import.
        private static let failedWrite = SQLITE_IOERR | 3 << 8

        /// Writes what the log has to the file, syncs that and empties the log: a system that has failed to sync
        /// a file may take what it then has in memory for written.
        private func beginLogAnew() throws(BackendError) {
            try emptyLog()
            logIsDoubtful = false
        }

        /// - Throws: ``BackendError/busy(path:holder:)`` while another connection reads from the log.
        func emptyLog() throws(BackendError) {
            let statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
            defer { statement.reset() }
            guard try statement.step(), statement.number(0) == 0 else {
                throw .busy(path: path, holder: "")
            }
        }

        func rollBack() {
            // Some errors have ended the transaction already.
            if sqlite3_get_autocommit(handle) == 0 { try? runOften("ROLLBACK") }
        }

        func close() {
            guard !isClosed else { return }
            isClosed = true
            texts = [:]
            // A process that was forked has a copy, with which it must do nothing.
            guard cabinet_process_mark() == process else { return }
            // Statements that are still there keep it until they go.
            sqlite3_close_v2(handle)
        }
    }
#endif
