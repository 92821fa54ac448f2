import CabinetBackend

extension SQLCore {
    /// So many past rows or keys are removed in one transaction, so that others can write in between.
    private static let slice = 10_000

    /// What is due from time to time: says what is held here, and removes what no reader needs any more.
    /// What fails is tried again the next time.
    func tidy() {
        do throws(BackendError) {
            let oldest = holds.oldest
            if oldest != nil || roster.registered != nil || works.areThere || host.isFarAway {
                try tellHolds()
            }
            if access == .readWrite { try removePast() }
        } catch {
            options.log(.debug, "\(host.location) was not tidied: \(error)")
        }
    }

    /// Removes what was replaced by commits up to which no reader asks any more.
    /// - Parameter limit: how many transactions of much are made at most.
    package func removePast(limit: Int = .max) throws(BackendError) {
        guard try giveUpPast() else { return }
        var left = limit
        for table in ["past_rows", "past_keys"] {
            let column = table == "past_rows" ? "row" : "key"
            let text =
                "DELETE FROM \(table) WHERE (tbl, \(column), until) IN (SELECT tbl, \(column), until "
                + "FROM \(table) WHERE until <= $1 LIMIT \(Self.slice))"
            while left > 0, try remove(text) == Self.slice { left -= 1 }
        }
        _ = try remove("DELETE FROM past_counts WHERE until <= $1")
    }

    /// Removes all that no reader and no name of the feed needs, and what the database keeps of it so far as
    /// it can be asked to.
    /// - Throws: ``BackendError/busy(path:holder:)`` if a reader needs what commits up to that one have replaced.
    func erasePast(upTo number: CommitNumber) throws(BackendError) {
        try trimFeed(to: 0)
        try removePast()
        let oldest = try pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { session.state.oldest }
        }
        guard oldest >= number.number else {
            throw .busy(path: host.location, holder: "a reader as of commit \(oldest)")
        }
        try host.rewrite()
    }

    /// What a program removes that ends, so that those that never run for long leave nothing behind.
    static let slicesAtTheEnd = 10

    private func remove(_ text: String) throws(BackendError) -> Int {
        try pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { () throws(BackendError) in
                let statement = try session.statement(text)
                statement.bind(session.state.oldest, at: 1)
                return try statement.run()
            }
        }
    }

    /// Decides up to which commit no reader asks what was before, and removes what tables hold that were
    /// dropped until then. Returns whether there may be more to remove.
    private func giveUpPast() throws(BackendError) -> Bool {
        try pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { () throws(BackendError) in
                let others = try roster.others(in: session)
                let settled = roster.settled(last: session.state.last)
                var commit =
                    others.count == 0 ? CommitNumber(number: session.state.last) : settled
                if let oldest = others.oldest { commit = min(commit, oldest) }
                commit = holds.giveUp(before: commit)
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
}
