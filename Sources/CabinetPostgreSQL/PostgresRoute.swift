#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// Asks and changes a store by statements that are one way to the server each.
    ///
    /// `Sendable`: what changes is guarded by locks of its own, the writer's state by the turn.
    final class PostgresRoute: SQLRoute {
        let place: PostgresStore
        let pool: PostgresPool
        /// The schema's name, in quotes.
        let schema: String
        let directory: Guarded<PostgresDirectory>
        let lines: Guarded<PostgresLines>
        let catalog: Guarded<PostgresCatalog>
        let counts = Guarded(KnownCounts())
        /// How many bytes a row or key of a table takes in a run, by the last answer; 0: they differ much.
        let widths = Guarded<[TableNumber: Int]>([:])
        let latest = Guarded(LatestCommits())
        let listening = Guarded(Listening())
        /// One commit at a time is made.
        let turn = Lock()
        nonisolated(unsafe) var turnsWriter = PostgresWriter()
        /// For tests: has the answer to the next commit be lost, which is made or not.
        let losing = Guarded<Bool?>(nil)

        let opening: Guarded<Opened?>
        /// Rows that were given out to this process, and are not in use yet.
        let rows = Guarded<[TableNumber: GivenRows]>([:])

        /// - Parameter connections: how many are in use at the same time at most.
        init(_ place: PostgresStore, _ opening: PostgresStore.Opening, connections: Int) {
            self.place = place
            schema = place.address.quotedSchema
            pool = PostgresPool(place, limit: connections)
            directory = Guarded(opening.directory)
            lines = Guarded(PostgresLines(opening.directory.lines, last: opening.directory.last))
            catalog = Guarded(opening.catalog)
            self.opening = Guarded(
                Opened(
                    identity: opening.identity, last: opening.last,
                    ended: opening.users.filter { place.hasEnded($0.user) ?? false }
                        .map(\.session)))
            pool.adopt(opening.connection)
        }

        /// What the store said when it was opened. `Sendable`: a value.
        struct Opened: Sendable {
            var identity: UInt64
            var last: Int64
            /// Sessions that are no more.
            var ended: [Int64]
        }

        /// Calls `body` while no other thread commits.
        func write<Result>(
            _ body: (inout PostgresWriter) throws(BackendError) -> Result
        ) throws(BackendError) -> Result {
            try turn.withLock { () throws(BackendError) in try body(&turnsWriter) }
        }

        var isRemote: Bool { true }

        func close() {
            listening.withLock { state in
                state.isClosed = true
                state.end()
            }
            // A process that was forked has copies of the connections.
            if pool.isOwn { pool.close() }
        }

        // MARK: Reading

        /// Asks one question as of a commit, and what the store says of itself.
        /// - Parameters:
        ///   - make: gives the question, for the tables as of a commit; `nil`: the answer is known.
        ///   - take: gets the answer, and what the store said of itself behind it.
        /// - Returns: `nil` where nothing was asked.
        func ask<Result>(
            asOf commit: CommitNumber?, _ core: SQLCore,
            _ make: (_ tables: TableVersions, _ commit: Int64) -> PostgresQuestion?,
            _ take: (PostgresResult, StoreState) throws(BackendError) -> Result
        ) throws(BackendError) -> Result? {
            SchedulePoint.read.pass()
            var failures = 0
            while true {
                try core.pool.checkOpen()
                let known = core.lastKnown
                let wanted = commit ?? known
                let tables = try directory(asOf: wanted.number, core).tables
                guard let question = make(tables, wanted.number) else { return nil }
                var hasNoTable = false
                let state = PostgresQuestion(text: StoreState.text(schema))
                let answers = try pool.ask { connection throws(BackendError) in
                    do throws(BackendError) {
                        guard question.isLarge else {
                            return try connection.ask([question, state])
                        }
                        return try connection.ask([.byIndex, question, state]).suffix(2).map(\.self)
                    } catch {
                        // What the table held may have been removed, together with all that was before.
                        hasNoTable = !connection.isLost && connection.failedState == "42P01"
                        guard hasNoTable else { throw error }
                        return try connection.ask([state])
                    }
                }
                guard let last = answers.last else { continue }
                // Read behind the answer: what was not forgotten by then was not when it was made.
                let now = try StoreState(last, place)
                try note(now, knowing: known, core)
                if wanted.number < now.oldest {
                    if let commit { throw .snapshotTooOld(commit) }
                    core.note(last: now.last)
                } else if hasNoTable {
                    failures += 1
                    guard failures < 3 else { throw place.damaged("a table") }
                    _ = try readDirectory(core)
                } else {
                    return try take(answers[0], now)
                }
            }
        }

        func state(_ core: SQLCore) throws(BackendError) -> StoreState {
            try core.pool.checkOpen()
            let known = core.lastKnown
            let answers = try pool.ask { connection throws(BackendError) in
                try connection.ask([PostgresQuestion(text: StoreState.text(schema))])
            }
            let state = try StoreState(answers[0], place)
            try note(state, knowing: known, core)
            return state
        }

        func tables(
            asOf commit: CommitNumber?, _ core: SQLCore
        ) throws(BackendError) -> [TableDefinition] {
            try known(asOf: commit, core) { tables, commit in tables.all(at: commit) }
        }

        func kind(
            of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
        ) throws(BackendError) -> TableKind? {
            try known(asOf: commit, core) { tables, commit in tables.kind(of: table, at: commit) }
        }

        /// Tells of the tables as of a commit, without a way to the server where they are known.
        private func known<Result>(
            asOf commit: CommitNumber?, _ core: SQLCore,
            _ body: (TableVersions, Int64) -> Result
        ) throws(BackendError) -> Result {
            try core.pool.checkOpen()
            let number = (commit ?? core.lastKnown).number
            return body(try directory(asOf: number, core).tables, number)
        }
    }
#endif
