#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresRoute {
        /// Runs statements as one transaction, in one way to the server. Their answers stand between those of
        /// what begins and ends it.
        func keepBooks(
            _ questions: [PostgresQuestion]
        ) throws(BackendError) -> [PostgresResult] {
            try pool.ask { connection throws(BackendError) in
                try connection.ask(
                    [PostgresQuestion(text: Self.begin)] + questions
                        + [PostgresQuestion(text: "COMMIT")])
            }
        }

        /// A call of a function of the store's schema that answers with one value.
        private func question(_ call: String) -> PostgresQuestion {
            PostgresQuestion(text: "SELECT * FROM \(schema).\(call)")
        }

        private func sessions(_ result: PostgresResult) -> [ListedSession] {
            (0..<result.count).map { row in
                ListedSession(
                    id: result.number(row, 0),
                    user: SQLUser(
                        realm: result.text(row, 1), process: result.number(row, 2),
                        began: result.number(row, 3)),
                    beat: result.number(row, 4),
                    hold: result.isNull(row, 5)
                        ? nil : CommitNumber(number: result.number(row, 5)))
            }
        }

        // MARK: The past

        func giveUpPast(_ core: SQLCore) throws(BackendError) -> Bool {
            let known = core.lastKnown
            let answers = try pool.ask { connection throws(BackendError) in
                try connection.ask([
                    PostgresQuestion(text: StoreState.text(schema)),
                    PostgresQuestion(text: "SELECT \(Roster.columns) FROM \(schema).sessions"),
                ])
            }
            let state = try StoreState(answers[0], place)
            try note(state, knowing: known, core)
            let others = core.roster.judge(sessions(answers[1]))
            // Readers of this process hold nothing before it from here on. The server looks once more at what
            // others hold by then.
            let settled = core.roster.settled(last: state.last)
            let commit = core.commitToGiveUp(state.last, settled, others)
            guard commit.number > state.oldest || !others.ended.isEmpty else { return false }
            let question = question("give_up($1, $2, $3, $4, $5, $6, $7, $8)")
            let parameters = question.parameters
            parameters.set(core.roster.id, at: 1)
            parameters.set(commit.number, at: 2)
            parameters.set(settled.number, at: 3)
            parameters.set(others.ended.map(\.id), at: 4)
            parameters.set(others.ended.map(\.beat), at: 5)
            parameters.set(others.silent.map(\.id), at: 6)
            parameters.set(others.silent.map(\.beat), at: 7)
            parameters.set(max(place.patience, 1), at: 8)
            return try keepBooks([question])[1].number(0, 0) > state.oldest
        }

        /// Without the lock of the store: no commit and no reader touches what is removed.
        func removeSomePast(_ core: SQLCore) throws(BackendError) -> Bool {
            func removal(_ table: String) -> String {
                "DELETE FROM \(schema).\(table) WHERE ctid = ANY (ARRAY(SELECT p.ctid "
                    + "FROM \(schema).\(table) p WHERE p.until <= (SELECT oldest FROM \(schema).store) "
                    + "LIMIT \(SQLCore.slice)))"
            }
            let results = try keepBooks(
                [
                    "SELECT set_config('synchronous_commit', 'off', true)", removal("past_rows"),
                    removal("past_keys"),
                    "DELETE FROM \(schema).past_counts "
                        + "WHERE until <= (SELECT oldest FROM \(schema).store)",
                ].map { PostgresQuestion(text: $0) })
            return results[2...3].contains { $0.changed >= SQLCore.slice }
        }

        // MARK: The feed

        func trimFeed(to limit: Int, _ core: SQLCore) throws(BackendError) {
            try core.pool.checkOpen()
            latest.withLock { $0 = LatestCommits() }
            while true {
                // What names need, as of the catalog that the server is told of.
                let known = catalog.withLock { $0 }
                var kept: [KeptChanges] = []
                if let entries = known.entries {
                    _ = try PostgresCatalog.forEach(
                        of: entries, in: .everything, descending: false, place
                    ) { key, value in
                        if let entry = KeptChanges(key: key, value: value) { kept.append(entry) }
                        return true
                    }
                } else {
                    kept = try namesAsked(core)
                }
                let question = question("trim_feed($1, $2, $3, $4, $5)")
                let parameters = question.parameters
                parameters.set(Int64(limit), at: 1)
                parameters.set(known.made, at: 2)
                parameters.set(kept.map(\.position.commit.number), at: 3)
                parameters.set(kept.map { Int64(clamping: $0.limit) }, at: 4)
                parameters.set(max(place.patience, 1), at: 5)
                if try keepBooks([question])[1].number(0, 0) != 0 { return }
                _ = try readDirectory(core)
            }
        }

        /// The names of a catalog that is too large to be kept here, as it is by now.
        private func namesAsked(_ core: SQLCore) throws(BackendError) -> [KeptChanges] {
            let question = PostgresQuestion(
                text: "SELECT key, value FROM \(schema).o_0 WHERE key >= 'feed/' AND key < 'feed0'")
            let result = try pool.ask { connection throws(BackendError) in
                try connection.ask([question])[0]
            }
            return (0..<result.count).compactMap { row in
                KeptChanges(
                    key: result.bytes(row, 0), value: StoredValue.value(result.bytes(row, 1)))
            }
        }

        // MARK: Work

        func claimWork(_ name: String, _ core: SQLCore) throws(BackendError) -> Bool {
            var ended: ListedSession?
            while true {
                let question = question("claim_work($1, $2, $3, $4, $5)")
                let parameters = question.parameters
                parameters.set(name, at: 1)
                parameters.set(core.roster.id, at: 2)
                parameters.set(ended?.id ?? 0, at: 3)
                parameters.set(ended?.beat ?? 0, at: 4)
                parameters.set(max(place.patience, 1), at: 5)
                guard let holder = sessions(try keepBooks([question])[1]).first else { return true }
                guard holder.id != core.roster.id, core.roster.hasEnded(holder) else {
                    return false
                }
                ended = holder
            }
        }

        func endWork(_ name: String, _ core: SQLCore) throws(BackendError) {
            try core.pool.checkOpen()
            let question = PostgresQuestion(
                text: "DELETE FROM \(schema).work WHERE name = $1 AND session = $2")
            question.parameters.set(name, at: 1)
            question.parameters.set(core.roster.id, at: 2)
            _ = try keepBooks([question])
        }

        // MARK: The end

        /// What is written last makes all that was written before it safe; where all is safe, it writes nothing.
        private func syncing() -> [PostgresQuestion] {
            let safety = PostgresQuestion(
                text: "SELECT set_config('lock_timeout', $1::text, true), "
                    + "set_config('synchronous_commit', CASE WHEN loose = 0 THEN 'off' "
                    + "WHEN current_setting('synchronous_commit') = 'off' THEN 'on' "
                    + "ELSE current_setting('synchronous_commit') END, true) FROM \(schema).store")
            safety.parameters.set("\(max(place.patience, 1))", at: 1)
            return [
                safety,
                PostgresQuestion(text: "UPDATE \(schema).store SET loose = 0 WHERE loose <> 0"),
            ]
        }

        func sync(_ core: SQLCore) throws(BackendError) { _ = try keepBooks(syncing()) }

        func leave(_ core: SQLCore, syncs: Bool) throws(BackendError) -> Bool {
            guard core.isRegistered else { return true }
            // A note of the last commit is for those who may have lost its answer.
            let isSettled = turn.withLock { turnsWriter.unknown == nil }
            let tables = [("work", "session"), ("sessions", "id")]
            let places = tables + (isSettled ? [("writers", "session")] : [])
            let leaving = places.map { table, column in
                let question = PostgresQuestion(
                    text: "DELETE FROM \(schema).\(table) WHERE \(column) = $1")
                question.parameters.set(core.roster.id, at: 1)
                return question
            }
            // What is left behind goes when another process finds that this one has ended.
            do throws(BackendError) {
                _ = try keepBooks((syncs ? syncing() : []) + leaving)
            } catch {
                if syncs { throw error }
            }
            return true
        }
    }
#endif
