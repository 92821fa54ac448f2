import CabinetBackend

/// Asks by the statements of sessions, in a transaction for each question. `Sendable`: it has no state.
package struct SessionRoute: SQLRoute {
    package init() {}

    package var isRemote: Bool { false }

    package func tables(
        asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> [TableDefinition] { try core.read(asOf: commit) { $0.tables() } }

    package func kind(
        of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> TableKind? { try core.read(asOf: commit) { $0.kind(of: table) } }

    package func count(
        of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in try state.count(of: table) }
    }

    package func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int, asOf commit: CommitNumber?,
        _ core: SQLCore
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in
            try state.count(of: range, in: table, upTo: limit)
        }
    }

    package func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, checked: Bool,
        asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in
            var looked = 0
            for row in rows {
                looked += 1
                let goesOn = try state.value(of: row, in: table, checked: checked) {
                    body(row, $0)
                }
                if goesOn == false { break }
            }
            return looked
        }
    }

    package func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, asOf commit: CommitNumber?,
        _ core: SQLCore,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in
            var looked = 0
            for key in keys {
                looked += 1
                let goesOn = try key.withUnsafeBytesThrowing { key throws(BackendError) in
                    try state.value(forKey: key, in: table) { body(key, $0) }
                }
                if goesOn == false { break }
            }
            return looked
        }
    }

    package func records(
        in table: TableNumber, after row: Int64, asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int64? {
        try core.read(asOf: commit) { state throws(BackendError) in
            try state.forEachRow(in: table, after: row, body)
        }
    }

    package func entries(
        in table: TableNumber, _ range: KeyRange, descending: Bool, limit: Int,
        asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> [UInt8]? {
        try core.read(asOf: commit) { state throws(BackendError) in
            try state.forEachEntry(in: table, range, descending: descending, body)
        }
    }

    package func state(_ core: SQLCore) throws(BackendError) -> StoreState {
        try core.pool.read { $0.state }
    }

    package func register(_ core: SQLCore) throws(BackendError) {
        try core.pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { () throws(BackendError) in
                try core.roster.register(core.holds.oldest, in: session)
            }
        }
    }

    package func changes(
        after number: CommitNumber, _ core: SQLCore
    ) throws(BackendError) -> [CommittedChanges] {
        try core.read(asOf: nil) { state throws(BackendError) in
            try SQLChangeCursor.check(
                number, last: state.commit, oldest: state.session.state.feedOldest)
            guard number.number < state.commit else { return [] }
            let statement = try state.session.statement(.commit)
            defer { statement.reset() }
            statement.bind(number.next.number)
            guard try statement.step() else {
                throw state.session.damaged("commit \(number.next)")
            }
            return [
                SQLChangeCursor.changes(
                    number.next, [statement.number(0), statement.number(1), statement.number(2)],
                    statement.isNull(3) ? nil : [UInt8](statement.bytes(3)), core)
            ]
        }
    }

    package func follow(_ core: SQLCore) {}
    package func unfollow() {}
    package func pause(_ look: Duration) -> Duration { look }

    package func part(
        _ part: Int64, of commit: CommitNumber, _ core: SQLCore
    ) throws(BackendError) -> [UInt8]? {
        try core.pool.read { session throws(BackendError) in
            try SQLChangeCursor.checkIsKept(commit, oldest: session.state.feedOldest)
            let statement = try session.statement(.part)
            defer { statement.reset() }
            statement.bind(commit.number, part)
            return try statement.step() ? [UInt8](statement.bytes(0)) : nil
        }
    }

    package func look(_ core: SQLCore) throws(BackendError) -> StoreState { try state(core) }

    package func lines(_ core: SQLCore) throws(BackendError) -> [CommitLine] {
        try core.read(asOf: nil) { state throws(BackendError) in
            let statement = try state.session.statement(.lines)
            defer { statement.reset() }
            statement.bind(state.commit)
            var lines: [CommitLine] = []
            while try statement.step() {
                lines.append(
                    CommitLine(
                        number: UInt64(bitPattern: statement.number(1)),
                        first: CommitNumber(number: statement.number(0))))
            }
            return lines
        }
    }

    package func commit(
        _ batch: WriteBatch, _ chunks: [UnsafeRawBufferPointer], _ core: SQLCore
    ) throws(BackendError) -> Int64 {
        try core.commit(batch, chunks)
    }

    package func enter(
        _ roster: Roster, _ pool: SessionPool, registers: Bool, isWriting: Bool
    ) throws(BackendError) -> SQLEntry {
        var isRegistered = registers
        if registers {
            do throws(BackendError) {
                try pool.write { session throws(BackendError) in
                    try session.transaction(.bookkeeping) { () throws(BackendError) in
                        try enter(roster, session, isWriting: isWriting)
                    }
                }
            } catch {
                if isWriting { throw error }
                isRegistered = false
            }
        }
        do throws(BackendError) {
            return try pool.read { session throws(BackendError) in
                let statement = try session.statement("SELECT identity FROM store")
                let number = try statement.firstNumber() ?? 0
                return SQLEntry(
                    isRegistered: isRegistered, identity: UInt64(bitPattern: number),
                    last: session.state.last)
            }
        } catch {
            if isRegistered {
                try? pool.write { session throws(BackendError) in
                    try session.transaction(.bookkeeping) { () throws(BackendError) in
                        try roster.leave(session)
                    }
                }
            }
            throw error
        }
    }

    /// A process that is alone gives numbers out again that never came to use.
    private func enter(
        _ roster: Roster, _ session: Session, isWriting: Bool
    ) throws(BackendError) {
        let others = try roster.others(in: session)
        try roster.register(nil, in: session)
        guard isWriting, others.areNone else { return }
        try session.connection.run("DELETE FROM claims")
        try session.connection.run(
            "UPDATE numbers SET next = CASE WHEN highest < \(RowID.first) THEN \(RowID.first) "
                + "ELSE highest + 1 END")
        try session.connection.run(
            "UPDATE store SET next_table = (SELECT COALESCE(MAX(number) + 1, "
                + "\(TableNumber.firstFree)) FROM tables)")
    }

    package func claim(
        _ wanted: TableClaim, _ core: SQLCore
    ) throws(BackendError) -> TableDefinition { try core.claimTable(wanted) }

    package func reserveRows(
        _ count: UInt32, in table: TableNumber, _ core: SQLCore
    ) throws(BackendError) -> ClosedRange<RowID> { try core.takeRows(count, in: table) }

    package func reserveTable(_ core: SQLCore) throws(BackendError) -> TableNumber {
        try core.takeTable()
    }

    package func highestRow(
        of table: TableNumber, _ core: SQLCore
    ) throws(BackendError) -> RowID {
        try core.pool.read { session throws(BackendError) in
            RowID(UInt32(clamping: try NumbersOfTable(table, session).highest))
        }
    }

    package func bytesKept(
        since commits: [CommitNumber], _ core: SQLCore
    ) throws(BackendError) -> [Int] {
        try core.pool.read { session throws(BackendError) in
            let statement = try session.statement(
                "SELECT (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM past_rows WHERE until > $1) "
                    + "+ (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM past_keys WHERE until > $1)")
            var found: [Int] = []
            for commit in commits {
                statement.bind(commit.number)
                found.append(Int(try statement.firstNumber() ?? 0))
            }
            return found
        }
    }

    package func outcome(of token: UInt64, _ core: SQLCore) throws(BackendError) -> CommitOutcome {
        try core.outcome(of: token)
    }
}
