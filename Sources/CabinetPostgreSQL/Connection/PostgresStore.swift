#if PostgreSQL
    import CPostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// A schema of a database that is a store, or becomes one. `Sendable`, because it never changes.
    struct PostgresStore: SQLHost {
        let name = PostgresFailure.engine
        let location: String
        let words = SQLWords(
            integer: "bigint", rowNumber: "bigint PRIMARY KEY", bytes: "bytea", inKeyOrder: "")
        let limits = BackendLimits(largestRecord: PostgresFailure.largestRecord)
        let user = MachineUser.current
        /// Whether the role may write to it.
        private(set) var isWritable = true
        let address: PostgresAddress
        /// In milliseconds.
        let patience: Int64

        /// The number of this form of the tables and functions.
        static let format: Int64 = 5
        /// "Cab1": the mark of whose the schema is.
        static let mark: Int64 = 0x4361_6231

        private init(_ address: PostgresAddress, patience: Duration) {
            self.address = address
            location = address.location
            // No more than some decades.
            self.patience =
                min(max(patience.components.seconds, 0), 1 << 30) * 1000
                + patience.components.attoseconds / 1_000_000_000_000_000
        }

        /// Looks at the schema, and makes it a store if there is none.
        /// - Parameter patience: how long to wait for others who write.
        static func open(
            _ address: PostgresAddress, access: Access, patience: Duration
        ) throws(BackendError) -> (PostgresStore, Opening) {
            var store = PostgresStore(address, patience: patience)
            // A server that starts anew is soon there again; one that is nowhere is not waited for for long.
            let pool = PostgresPool(store, patience: min(store.patience, address.timeout))
            let opening = try pool.ask { connection throws(BackendError) in
                try store.look(connection, access)
            }
            return (store, opening)
        }

        func connectOnce() throws(BackendError) -> PostgresConnection {
            switch try PostgresConnection.attempt(address) {
            case .made(let connection): return connection
            case .unreachable(let error): throw error
            }
        }

        let isFarAway = true

        /// Processes of other machines cannot be seen.
        func hasEnded(_ user: SQLUser) -> Bool? {
            user.realm == MachineUser.current.realm ? MachineUser.hasEnded(user) : nil
        }

        // MARK: Whose the schema is

        /// What a store says when it is opened, and by which connection.
        struct Opening {
            var connection: PostgresConnection
            var identity: UInt64
            var last: Int64
            var directory: PostgresDirectory
            var catalog: PostgresCatalog
            /// Who uses it.
            var users: [(session: Int64, user: SQLUser)] = []
        }

        /// Looks at the schema, and makes it a store if there is none.
        private mutating func look(
            _ connection: PostgresConnection, _ access: Access
        ) throws(BackendError) -> Opening {
            let found: [PostgresResult]
            do throws(BackendError) {
                found = try connection.ask(questions)
            } catch {
                // No such schema, or not all that a store has.
                guard ["42P01", "3F000", "42703"].contains(connection.failedState) else {
                    throw error
                }
                if try !isStore(connection) {
                    guard access == .readWrite else { throw .noStore(path: location) }
                    try make(connection)
                }
                try checkFormat(connection.ask([questions[0]])[0])
                found = try connection.ask(questions)
            }
            try checkFormat(found[0])
            if access == .readWrite, found[0].number(0, 1) == 0 {
                throw .engine(
                    name: name,
                    reason:
                        "the role \(found[0].text(0, 3)) may not write to \(location), or the server "
                        + "is a standby. Open the store with access .readOnly.")
            }
            isWritable = found[0].number(0, 2) != 0
            guard found[1].count > 0 else { throw damaged("the table of the store") }
            var opening = Opening(
                connection: connection, identity: UInt64(bitPattern: found[1].number(0, 11)),
                last: found[1].number(0, 9), directory: try PostgresDirectory(found[1], self),
                catalog: try PostgresCatalog(found[3], self))
            for row in 0..<found[2].count {
                let user = SQLUser(
                    realm: found[2].text(row, 1), process: found[2].number(row, 2),
                    began: found[2].number(row, 3))
                opening.users.append((found[2].number(row, 0), user))
            }
            return opening
        }

        /// What is asked at the beginning, in one way to the server.
        private var questions: [PostgresQuestion] {
            let schema = address.quotedSchema
            let rights = PostgresQuestion(
                text:
                    "SELECT number, NOT pg_is_in_recovery() AND has_table_privilege($1, 'UPDATE'), "
                    + "NOT pg_is_in_recovery() AND has_table_privilege($2, 'INSERT, UPDATE'), "
                    + "current_user::text FROM \(schema).format")
            rights.parameters.set("\(schema).store", at: 1)
            rights.parameters.set("\(schema).sessions", at: 2)
            return [
                rights, PostgresQuestion(text: PostgresDirectory.text(schema)),
                PostgresQuestion(text: "SELECT id, realm, process, began FROM \(schema).sessions"),
                PostgresQuestion(text: PostgresCatalog.text(schema)),
            ]
        }

        private func checkFormat(_ found: PostgresResult) throws(BackendError) {
            guard found.count == 1 else { throw .notAStore(path: location) }
            let format = found.number(0, 0)
            guard format <= Self.format else {
                throw .newerFormat(
                    path: location, found: UInt32(clamping: format), known: UInt32(Self.format))
            }
            guard format == Self.format else {
                throw .olderFormat(
                    path: location, found: UInt32(clamping: format), oldest: UInt32(Self.format))
            }
        }

        private func isStore(_ connection: PostgresConnection) throws(BackendError) -> Bool {
            let parameters = PostgresParameters()
            parameters.set(address.schema, at: 1)
            let found = try connection.ask(
                "SELECT c.relname::text, obj_description(n.oid, 'pg_namespace') FROM pg_namespace n "
                    + "LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'format' "
                    + "WHERE n.nspname = $1", parameters)
            guard found.count > 0 else { return false }
            if !found.isNull(0, 0), found.text(0, 1) == Self.comment { return true }
            guard try isEmpty(connection) else { throw .notAStore(path: location) }
            return false
        }

        private func isEmpty(_ connection: PostgresConnection) throws(BackendError) -> Bool {
            let parameters = PostgresParameters()
            parameters.set(address.schema, at: 1)
            return try connection.ask(
                "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 LIMIT 1", parameters
            ).count == 0
        }

        /// What the schema says of itself.
        private static let comment = "A store of Cabinet's"

        private func make(_ connection: PostgresConnection) throws(BackendError) {
            try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            do throws(BackendError) {
                // One at a time makes a store.
                try connection.run("SELECT pg_advisory_xact_lock(\(Self.mark))")
                // Another process may have been first.
                if try !isStore(connection) { try makeTables(connection) }
                try connection.commit()
            } catch {
                connection.rollBack()
                throw error
            }
        }

        private func makeTables(_ connection: PostgresConnection) throws(BackendError) {
            let schema = address.quotedSchema
            let identity = Int64.random(in: 1...Int64.max)
            let parameters = PostgresParameters()
            parameters.set(address.schema, at: 1)
            // One that is there already, and empty, may have been made for a role that may make none.
            let isThere =
                try connection.ask(
                    "SELECT FROM pg_namespace WHERE nspname = $1", parameters
                ).count > 0
            let texts =
                (isThere ? [] : ["CREATE SCHEMA \(schema)"]) + [
                    "COMMENT ON SCHEMA \(schema) IS '\(Self.comment.replacingQuotes)'",
                    "SET LOCAL search_path TO \(schema)",
                    "CREATE TABLE format (number bigint NOT NULL)",
                    "INSERT INTO format VALUES (\(Self.format))",
                    "CREATE TABLE writers (session bigint PRIMARY KEY, epoch bigint NOT NULL, "
                        + "token bigint NOT NULL, number bigint NOT NULL, time bigint NOT NULL)",
                    "CREATE UNLOGGED TABLE run (number bigint NOT NULL)",
                ] + SQLSchema.making(words, identity: identity) + [
                    "ALTER TABLE store ADD COLUMN catalog bigint NOT NULL DEFAULT 0",
                    // To compress them takes longer than to write them.
                    "ALTER TABLE parts ALTER operations SET STORAGE EXTERNAL",
                ]
                + PostgresFunctions.making(schema)
            try connection.run(texts.joined(separator: ";\n"))
        }
    }

    extension String {
        /// As it stands within quotes of SQL's.
        fileprivate var replacingQuotes: String {
            map { $0 == "'" ? "''" : String($0) }.joined()
        }
    }
#endif
