#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresRoute {
        func enter(
            _ roster: Roster, _ pool: SessionPool, registers: Bool, isWriting: Bool
        ) throws(BackendError) -> SQLEntry {
            let opened = opening.withLock { opened in
                defer { opened = nil }
                return opened
            }
            guard let opened else { throw place.damaged("the opening") }
            var entry = SQLEntry(isRegistered: false, identity: opened.identity, last: opened.last)
            guard registers else { return entry }
            do throws(BackendError) {
                try register(
                    roster.id, holding: nil, ended: opened.ended, isWriting: isWriting)
                entry.isRegistered = true
            } catch {
                // A disk that is full keeps nobody from reading.
                if isWriting { throw error }
            }
            return entry
        }

        func register(_ core: SQLCore) throws(BackendError) {
            try core.pool.checkOpen()
            let hold = core.holds.oldest
            try register(core.roster.id, holding: hold, ended: [], isWriting: false)
            core.roster.note(hold)
        }

        private func register(
            _ session: Int64, holding hold: CommitNumber?, ended: [Int64], isWriting: Bool
        ) throws(BackendError) {
            let question = PostgresQuestion(
                text: "SELECT \(schema).enter($1, $2, $3, $4, $5, $6, $7, $8)")
            let (parameters, user) = (question.parameters, place.user)
            parameters.set(session, at: 1)
            parameters.set(user.realm, at: 2)
            parameters.set(user.process, at: 3)
            parameters.set(user.began, at: 4)
            parameters.set(ended, at: 5)
            parameters.set(isWriting ? 1 : 0 as Int64, at: 6)
            parameters.set(max(place.patience, 1), at: 7)
            parameters.set(hold?.number ?? -1, at: 8)
            _ = try pool.ask { connection throws(BackendError) in
                try connection.ask([
                    PostgresQuestion(text: Self.begin), question, PostgresQuestion(text: "COMMIT"),
                ])
            }
        }

        // MARK: Claims

        /// So many rows a new class gets with its table.
        private static var firstRows: Int64 { 256 }

        func claim(
            _ wanted: TableClaim, _ core: SQLCore
        ) throws(BackendError) -> TableDefinition {
            try core.pool.checkOpen()
            let asked = TableDefinition(number: .max, kind: wanted.kind, name: wanted.name)
            guard asked.hasValidName else { throw .badTableName(wanted.name) }
            if core.access == .readOnly {
                // As of the last commit, known or not.
                let tables = try readDirectory().tables
                guard let number = tables.byName[asked.foldedName],
                    let found = tables.definition(of: number)
                else { throw .readOnly(path: place.location) }
                guard found.kind == wanted.kind else { throw .badTableName(wanted.name) }
                return found
            }
            let question = PostgresQuestion(
                text: "SELECT * FROM \(schema).claim($1, $2, $3, $4, $5, $6)")
            let parameters = question.parameters
            parameters.set(wanted.name, at: 1)
            parameters.set(Int64(wanted.kind.rawValue), at: 2)
            parameters.set(wanted.kind == .record ? Int64(wanted.classVersion) : 0, at: 3)
            parameters.set(Int64(wanted.flags.rawValue), at: 4)
            parameters.set(max(place.patience, 1), at: 5)
            parameters.set(Self.firstRows, at: 6)
            let result = try pool.ask { connection throws(BackendError) in
                try connection.ask([
                    PostgresQuestion(text: Self.begin), question, PostgresQuestion(text: "COMMIT"),
                ])[1]
            }
            guard result.count == 1 else { throw place.damaged("the table of claims") }
            return try granted(result, wanted)
        }

        private func granted(
            _ result: PostgresResult, _ wanted: TableClaim
        ) throws(BackendError) -> TableDefinition {
            switch result.number(0, 0) {
            case -1: throw .classNumbersExhausted
            case -2: throw .tablesExhausted
            default: break
            }
            guard result.number(0, 1) == Int64(wanted.kind.rawValue) else {
                throw .badTableName(wanted.name)
            }
            let found = TableDefinition(
                number: TableNumber(UInt16(truncatingIfNeeded: result.number(0, 0))),
                kind: wanted.kind, name: result.text(0, 2),
                classNumber: UInt8(truncatingIfNeeded: result.number(0, 3)),
                classVersion: UInt8(truncatingIfNeeded: result.number(0, 4)),
                flags: TableFlags(rawValue: UInt8(truncatingIfNeeded: result.number(0, 5))))
            if !result.isNull(0, 6) {
                let first = UInt32(truncatingIfNeeded: result.number(0, 6))
                rows.withLock {
                    $0[found.number] = RowID(first)...RowID(first + UInt32(Self.firstRows) - 1)
                }
            }
            return found
        }

        /// Takes rows of those that were given out with a claim; `nil`: there are not as many.
        func takeRows(_ count: UInt32, in table: TableNumber) -> ClosedRange<RowID>? {
            rows.withLock { rows in
                guard let left = rows[table], count > 0 else { return nil }
                let (first, last) = (left.lowerBound.rawValue, left.upperBound.rawValue)
                guard last - first >= count - 1 else { return nil }
                rows[table] =
                    last - first == count - 1 ? nil : RowID(first + count)...left.upperBound
                return left.lowerBound...RowID(first + count - 1)
            }
        }
    }
#endif
