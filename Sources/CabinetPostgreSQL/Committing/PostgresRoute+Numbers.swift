#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresRoute {
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
                let tables = try readDirectory(core).tables
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
            let result = try keepBooks([keeping, question])[2]
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
                rows.withLock { $0[found.number] = GivenRows(first, Self.firstRows) }
            }
            return found
        }

        // MARK: Numbers

        /// So many rows are given out at a time at most.
        private static var mostRows: Int64 { 65_536 }

        /// A process that asks again and again is given more each time: each block costs a way to the server.
        func reserveRows(
            _ count: UInt32, in table: TableNumber, _ core: SQLCore
        ) throws(BackendError) -> ClosedRange<RowID> {
            let wanted = Int64(max(count, 1))
            guard Int64(RowID.first.rawValue) + wanted <= Int64(RowID.max.rawValue) else {
                throw .rowsExhausted(table)
            }
            let (taken, size) = rows.withLock { rows in
                (rows[table]?.take(wanted), min(2 * (rows[table]?.size ?? 0), Self.mostRows))
            }
            if let taken { return taken }
            for size in [max(size, wanted), wanted] {
                let question = PostgresQuestion(text: "SELECT \(schema).reserve($1, $2)")
                question.parameters.set(Int64(table.rawValue), at: 1)
                question.parameters.set(size, at: 2)
                let result = try keepBooks([keeping, question])[2]
                guard !result.isNull(0, 0) else { continue }
                var given = GivenRows(UInt32(truncatingIfNeeded: result.number(0, 0)), size)
                if let taken = given.take(wanted) {
                    rows.withLock { $0[table] = given }
                    return taken
                }
            }
            throw .rowsExhausted(table)
        }

        func reserveTable(_ core: SQLCore) throws(BackendError) -> TableNumber {
            let question = PostgresQuestion(
                text: "UPDATE \(schema).store SET next_table = next_table + 1 "
                    + "WHERE next_table <= \(UInt16.max) RETURNING next_table - 1")
            let result = try keepBooks([keeping, question])[2]
            guard result.count > 0 else { throw .tablesExhausted }
            return TableNumber(UInt16(result.number(0, 0)))
        }

        func highestRow(
            of table: TableNumber, _ core: SQLCore
        ) throws(BackendError) -> RowID {
            try core.pool.checkOpen()
            let question = PostgresQuestion(
                text: "SELECT COALESCE(max(highest), 0) FROM \(schema).numbers WHERE tbl = $1")
            question.parameters.set(Int64(table.rawValue), at: 1)
            let result = try pool.ask { connection throws(BackendError) in
                try connection.ask([question])[0]
            }
            return RowID(UInt32(clamping: result.number(0, 0)))
        }

        func bytesKept(
            since commits: [CommitNumber], _ core: SQLCore
        ) throws(BackendError) -> [Int] {
            func sum(_ table: String) -> String {
                "(SELECT COALESCE(sum(octet_length(p.value)), 0) FROM \(schema).\(table) p "
                    + "WHERE p.until > u.number)"
            }
            let question = PostgresQuestion(
                text: "SELECT \(sum("past_rows")) + \(sum("past_keys")) "
                    + "FROM unnest($1) WITH ORDINALITY u(number, turn) ORDER BY turn")
            question.parameters.set(commits.map(\.number), at: 1)
            let result = try pool.ask { connection throws(BackendError) in
                try connection.ask([question])[0]
            }
            return (0..<result.count).map { Int(result.number($0, 0)) }
        }
    }

    /// Rows in a row that were given out to one process. `Sendable`: a value.
    struct GivenRows: Sendable {
        private var next: Int64
        private let end: Int64
        /// How many they were.
        let size: Int64

        init(_ first: UInt32, _ size: Int64) {
            (next, end, self.size) = (Int64(first), Int64(first) + size, size)
        }

        /// `nil`: there are not as many left.
        mutating func take(_ count: Int64) -> ClosedRange<RowID>? {
            guard count > 0, end - next >= count, end <= Int64(UInt32.max) else { return nil }
            defer { next += count }
            return RowID(UInt32(next))...RowID(UInt32(next + count - 1))
        }
    }
#endif
