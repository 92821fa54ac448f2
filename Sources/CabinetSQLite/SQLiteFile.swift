#if SQLite
    import CLibrary
    import CSQLite
    import CSystem
    import CabinetBackend
    import CabinetSQL

    /// A file of SQLite's that is a store, or becomes one. `Sendable`, because it never changes.
    struct SQLiteFile: SQLHost {
        let name = SQLiteFailure.engine
        let location: String
        let words = SQLWords(
            integer: "INTEGER", rowNumber: "INTEGER PRIMARY KEY", bytes: "BLOB",
            inKeyOrder: " WITHOUT ROWID")
        let limits = BackendLimits(largestRecord: SQLiteFailure.largestRecord)
        let user = MachineUser.current
        private(set) var place: Int64 = 0
        let run = MachineUser.run
        /// Whether this user may write to it.
        private(set) var isWritable = true
        private let patience: Int64

        /// "Cab1": the mark that SQLite keeps in the head of the file for whose it is.
        static let mark: Int64 = 0x4361_6231

        /// Looks at the file at `path`, and makes it a store if there is none.
        /// - Parameter patience: how long to wait for others who write.
        init(_ path: String, access: Access, patience: Duration) throws(BackendError) {
            location = path
            // No more than some decades.
            self.patience =
                min(max(patience.components.seconds, 0), 1 << 30) * 1000
                + patience.components.attoseconds / 1_000_000_000_000_000
            var status = stat()
            let isThere = stat(path, &status) == 0
            if isThere, status.st_mode & S_IFMT != S_IFREG { throw .notAStore(path: path) }
            if access == .readOnly {
                guard isThere else { throw .noStore(path: path) }
                isWritable = CLibrary.access(path, W_OK) == 0
            }
            let connection = try open(isMade: access == .readWrite)
            defer { connection.close() }
            try check(connection, access)
            place = Self.place(of: path)
        }

        func connect() throws(BackendError) -> any SQLConnection {
            let connection = try open(isMade: false)
            // Another file would be read beside the one that others have open.
            guard Self.place(of: location) == place else {
                throw BackendError.replaced(path: location)
            }
            return connection
        }

        func rewrite() throws(BackendError) {
            let connection = try open(isMade: false)
            defer { connection.close() }
            try connection.run("VACUUM")
            // The former pages are in the file until the log has been written to it.
            try connection.emptyLog()
        }

        private func open(isMade: Bool) throws(BackendError) -> SQLiteConnection {
            let flags =
                isWritable
                ? SQLITE_OPEN_READWRITE | (isMade ? SQLITE_OPEN_CREATE : 0) : SQLITE_OPEN_READONLY
            return try SQLiteConnection(location, flags: flags, patience: patience)
        }

        func showsColumns(_ connection: any SQLConnection) throws(BackendError) -> Bool {
            let statement = try connection.prepare(
                "SELECT 1 FROM sqlite_master WHERE name = 'shown'")
            defer { statement.reset() }
            return try statement.step()
        }

        func hasEnded(_ user: SQLUser) -> Bool? { MachineUser.hasEnded(user) }

        // MARK: Whose the file is

        /// SQLite itself waits for nobody while it changes the form of a file's log, which several processes may
        /// be about to do to a new one.
        private func check(
            _ connection: SQLiteConnection, _ access: Access
        ) throws(BackendError) {
            let patience = SQLitePatience(milliseconds: patience)
            patience.begin()
            var attempt: Int32 = 1
            while true {
                do throws(BackendError) { return try look(connection, access) } catch {
                    guard case .busy = error, patience.wait(before: attempt) else { throw error }
                    attempt += 1
                }
            }
        }

        private func look(
            _ connection: SQLiteConnection, _ access: Access
        ) throws(BackendError) {
            if try number("PRAGMA application_id", connection) == Self.mark {
                return try checkFormat(connection)
            }
            guard try isEmpty(connection) else {
                // Another process may have made it just now.
                guard try number("PRAGMA application_id", connection) == Self.mark else {
                    throw .notAStore(path: location)
                }
                return try checkFormat(connection)
            }
            guard access == .readWrite else { throw .noStore(path: location) }
            guard try text("PRAGMA journal_mode = WAL", connection) == "wal" else {
                throw .engine(
                    name: name, reason: "\(location) is where SQLite cannot share files.")
            }
            try connection.begin(.writing(isSafe: true))
            do throws(BackendError) {
                // Another process may have been first.
                if try isEmpty(connection) { try make(connection) }
                try connection.commit()
            } catch {
                connection.rollBack()
                throw error
            }
            guard try number("PRAGMA application_id", connection) == Self.mark else {
                throw .notAStore(path: location)
            }
            try checkFormat(connection)
        }

        private func checkFormat(_ connection: SQLiteConnection) throws(BackendError) {
            let format = try number("PRAGMA user_version", connection)
            guard format <= SQLSchema.format else {
                throw .newerFormat(
                    path: location, found: UInt32(clamping: format),
                    known: UInt32(SQLSchema.format))
            }
        }

        private func isEmpty(_ connection: SQLiteConnection) throws(BackendError) -> Bool {
            try number("SELECT count(*) FROM sqlite_master", connection) == 0
        }

        private func make(_ connection: SQLiteConnection) throws(BackendError) {
            let identity = Int64.random(in: 1...Int64.max)
            for text in SQLSchema.making(words, identity: identity) { try connection.run(text) }
            try connection.run("PRAGMA application_id = \(Self.mark)")
            try connection.run("PRAGMA user_version = \(SQLSchema.format)")
        }

        private func number(
            _ text: String, _ connection: SQLiteConnection
        ) throws(BackendError) -> Int64 {
            let statement = try connection.prepare(text)
            defer { statement.reset() }
            return try statement.step() ? statement.number(0) : 0
        }

        private func text(
            _ text: String, _ connection: SQLiteConnection
        ) throws(BackendError) -> String {
            let statement = try connection.prepare(text)
            defer { statement.reset() }
            return try statement.step() ? statement.text(0) : ""
        }

        // MARK: Where the file is

        /// A number that a copy of the file does not have, nor one that was put in its place: its inode and
        /// when it was made.
        private static func place(of path: String) -> Int64 {
            var status = stat()
            guard stat(path, &status) == 0 else { return 0 }
            var time: UInt64 = 0
            #if canImport(Darwin)
                time =
                    UInt64(status.st_birthtimespec.tv_sec) &* 1_000_000_000
                    &+ UInt64(status.st_birthtimespec.tv_nsec)
            #else
                // A descriptor for nothing but its place: to close any other would end the locks that
                // SQLite has in this process. O_PATH, a macro that Swift does not import.
                let descriptor = CLibrary.open(path, 0o10_000_000 | O_CLOEXEC)
                if descriptor >= 0 {
                    time = cabinet_birth_time(descriptor)
                    close(descriptor)
                }
            #endif
            let mixed = (UInt64(status.st_ino) &* 0x9E37_79B9_7F4A_7C15) ^ time
            return Int64(bitPattern: mixed == 0 ? 1 : mixed)
        }
    }
#endif
