#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// What is known of the tables of a store: right as of all commits up to one. `Sendable`: a value.
    struct PostgresDirectory: Sendable {
        var tables = TableVersions()
        /// Grows with each change of the tables; 0: nothing was read yet.
        var number: Int64 = 0
        var last: Int64 = -1
        /// The lines of commits.
        var lines = ""

        init() {}

        /// One statement sees one state: each version of a table, and behind it what the store says of itself.
        /// - Parameter schema: its name, in quotes.
        static func text(_ schema: String) -> String {
            "SELECT t.number, since, until, kind, name, class, version, flags, gone, "
                + "s.last, s.directory, s.identity, \(PostgresLines.text(schema)) FROM \(schema).store s "
                + "LEFT JOIN \(schema).tables t ON true ORDER BY t.number, since"
        }

        init(_ result: PostgresResult, _ place: PostgresStore) throws(BackendError) {
            guard result.count > 0 else { throw place.damaged("the table of the store") }
            last = result.number(0, 9)
            number = result.number(0, 10)
            lines = result.text(0, 12)
            // Without a table there is one row, of the store alone.
            guard !result.isNull(0, 0) else { return }
            for row in 0..<result.count {
                try tables.add(
                    (0..<9).map { $0 == 4 ? 0 : result.number(row, $0) }, result.text(row, 4), place
                )
            }
        }
    }

    extension StoreState {
        /// - Parameter schema: its name, in quotes.
        /// - Parameter more: what else is asked, behind a comma.
        static func text(_ schema: String, _ more: String = "") -> String {
            "SELECT last, oldest, directory, feed_oldest, catalog, \(PostgresLines.text(schema))\(more) "
                + "FROM \(schema).store"
        }

        init(_ result: PostgresResult, _ place: PostgresStore) throws(BackendError) {
            self.init()
            guard result.count == 1 else { throw place.damaged("the table of the store") }
            last = result.number(0, 0)
            oldest = result.number(0, 1)
            directory = result.number(0, 2)
            feedOldest = result.number(0, 3)
            catalog = result.number(0, 4)
            lines = result.text(0, 5)
        }
    }

    extension PostgresRoute {
        /// The tables, right as of a commit and all those before it.
        func directory(
            asOf commit: Int64, _ core: SQLCore
        ) throws(BackendError) -> PostgresDirectory {
            let known = directory.withLock { $0 }
            guard known.last < commit || known.number == 0 else { return known }
            return try readDirectory(core)
        }

        /// Reads the tables and the catalog, and what the last commit is then.
        func readDirectory(_ core: SQLCore) throws(BackendError) -> PostgresDirectory {
            let known = core.lastKnown
            let answers = try pool.ask { connection throws(BackendError) in
                try connection.ask([
                    PostgresQuestion(text: PostgresDirectory.text(schema)),
                    PostgresQuestion(text: PostgresCatalog.text(schema)),
                ])
            }
            let found = try PostgresDirectory(answers[0], place)
            try note(found.last, found.lines, knowing: known)
            let catalog = try PostgresCatalog(answers[1], place)
            self.catalog.withLock { if catalog.last >= $0.last { $0 = catalog } }
            return directory.withLock { known in
                if found.last >= known.last { known = found }
                return found
            }
        }

        /// Takes note of what an answer says of the tables.
        func note(_ state: StoreState) {
            directory.withLock { known in
                if known.number == state.directory { known.last = max(known.last, state.last) }
            }
            catalog.withLock { $0.note(state) }
        }
    }
#endif
