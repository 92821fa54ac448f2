#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// What is known of the tables of a store: right as of all commits up to one. `Sendable`: a value.
    struct PostgresDirectory: Sendable {
        var tables = TableVersions()
        /// Grows with each change of the tables; 0: nothing was read yet.
        var number: Int64 = 0
        var last: Int64 = -1
    }

    /// What a store says of itself with each answer. `Sendable`: a value.
    struct PostgresState: Sendable {
        var last: Int64
        var oldest: Int64
        var directory: Int64
        var feedOldest: Int64

        /// - Parameter schema: its name, in quotes.
        static func text(_ schema: String) -> String {
            "SELECT last, oldest, directory, feed_oldest FROM \(schema).store"
        }

        init(_ result: PostgresResult, _ place: PostgresStore) throws(BackendError) {
            guard result.count == 1 else { throw place.damaged("the table of the store") }
            last = result.number(0, 0)
            oldest = result.number(0, 1)
            directory = result.number(0, 2)
            feedOldest = result.number(0, 3)
        }
    }

    extension PostgresRoute {
        /// The tables, right as of a commit and all those before it.
        func directory(
            asOf commit: Int64, _ core: SQLCore
        ) throws(BackendError) -> PostgresDirectory {
            let known = directory.withLock { $0 }
            guard known.last < commit || known.number == 0 else { return known }
            return try readDirectory()
        }

        /// Reads the tables, and what the last commit is then.
        func readDirectory() throws(BackendError) -> PostgresDirectory {
            let schema = schema
            let found = try pool.ask { connection throws(BackendError) in
                // One statement sees one state.
                let text =
                    "SELECT t.number, since, until, kind, name, class, version, flags, gone, "
                    + "s.last, s.directory FROM \(schema).store s LEFT JOIN \(schema).tables t ON true "
                    + "ORDER BY t.number, since"
                let statement = PostgresStatement(text, of: connection)
                defer { statement.reset() }
                guard try statement.step() else { throw place.damaged("the table of the store") }
                var read = PostgresDirectory()
                (read.last, read.number) = (statement.number(9), statement.number(10))
                if !statement.isNull(0) {
                    statement.rewind()
                    read.tables = try TableVersions(statement, place)
                }
                return read
            }
            return directory.withLock { known in
                if found.last >= known.last { known = found }
                return found
            }
        }

        /// Takes note of what an answer says of the tables.
        func note(_ state: PostgresState) {
            directory.withLock { known in
                if known.number == state.directory { known.last = max(known.last, state.last) }
            }
        }
    }
#endif
