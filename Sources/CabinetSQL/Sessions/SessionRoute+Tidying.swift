import CabinetBackend

extension SessionRoute {
    package func removeSomePast(_ core: SQLCore) throws(BackendError) -> Bool {
        var mayBeMore = false
        for table in ["past_rows", "past_keys"] {
            let column = table == "past_rows" ? "row" : "key"
            let text =
                "DELETE FROM \(table) WHERE (tbl, \(column), until) IN (SELECT tbl, \(column), until "
                + "FROM \(table) WHERE until <= $1 LIMIT \(SQLCore.slice))"
            if try remove(text, core) == SQLCore.slice { mayBeMore = true }
        }
        if !mayBeMore { _ = try remove("DELETE FROM past_counts WHERE until <= $1", core) }
        return mayBeMore
    }

    private func remove(_ text: String, _ core: SQLCore) throws(BackendError) -> Int {
        try keepBooks(core) { session throws(BackendError) in
            let statement = try session.statement(text)
            statement.bind(session.state.oldest, at: 1)
            return try statement.run()
        }
    }

    package func giveUpPast(_ core: SQLCore) throws(BackendError) -> Bool {
        try keepBooks(core) { session throws(BackendError) in
            let others = try core.roster.others(in: session)
            let last = session.state.last
            let settled = core.roster.settled(last: last)
            let commit = core.commitToGiveUp(last, settled, others)
            guard commit.number > session.state.oldest else { return false }
            session.state.oldest = commit.number
            let dropped = session.tables.droppedContent(by: commit.number)
            for table in dropped { try removeContent(of: table, session) }
            // Others, and this session too, read the table of tables again.
            var state = session.state
            if !dropped.isEmpty { state.directory += 1 }
            try state.write(to: session)
            return true
        }
    }

    private func removeContent(
        of table: TableDefinition, _ session: Session
    ) throws(BackendError) {
        try session.connection.run("DROP TABLE \(SQLSchema.name(table.kind, table.number))")
        try session.connection.run(
            "UPDATE tables SET gone = 1 WHERE number = \(table.number)")
        try session.connection.run("DELETE FROM numbers WHERE tbl = \(table.number)")
        // Nothing of it is left to be told from a later table of its number.
        try session.connection.run(
            "DELETE FROM tables WHERE number = \(table.number) AND until < (SELECT MAX(until) "
                + "FROM tables t WHERE t.number = \(table.number))")
    }

    package func trimFeed(to limit: Int, _ core: SQLCore) throws(BackendError) {
        try keepBooks(core) { session throws(BackendError) in
            try Feed(session, limit: limit).trim()
        }
    }

    // MARK: Work

    package func claimWork(_ name: String, _ core: SQLCore) throws(BackendError) -> Bool {
        try keepBooks(core) { session throws(BackendError) in
            let look = try session.statement("SELECT session FROM work WHERE name = $1")
            look.bind(name, at: 1)
            if let holder = try look.firstNumber(),
                try core.roster.isThere(holder, in: session)
            {
                return false
            }
            let claim = try session.statement(
                "INSERT INTO work VALUES ($1, $2) ON CONFLICT (name) DO UPDATE "
                    + "SET session = excluded.session")
            claim.bind(name, at: 1)
            claim.bind(core.roster.id, at: 2)
            try claim.run()
            return true
        }
    }

    package func endWork(_ name: String, _ core: SQLCore) throws(BackendError) {
        try keepBooks(core) { session throws(BackendError) in
            let end = try session.statement("DELETE FROM work WHERE name = $1 AND session = $2")
            end.bind(name, at: 1)
            end.bind(core.roster.id, at: 2)
            try end.run()
        }
    }

    // MARK: The end

    package func sync(_ core: SQLCore) throws(BackendError) {
        try core.pool.write { session throws(BackendError) in try SQLCore.sync(session) }
    }

    package func leave(_ core: SQLCore, syncs: Bool) -> Bool { false }

    package func close() {}

    private func keepBooks<Result>(
        _ core: SQLCore, _ body: (Session) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try core.pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { () throws(BackendError) in
                try body(session)
            }
        }
    }
}

extension SQLCore {
    /// Up to which commit no reader asks what was before; no reader of this process does from now on.
    /// - Parameters:
    ///   - last: the last commit.
    ///   - settled: the last one that was made long enough ago for each reader to be on the list.
    package func commitToGiveUp(
        _ last: Int64, _ settled: CommitNumber, _ others: OtherSessions
    ) -> CommitNumber {
        let commit = others.areNone ? CommitNumber(number: last) : settled
        return holds.giveUp(before: min(commit, others.oldest ?? commit))
    }
}
