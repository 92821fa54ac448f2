#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresRoute {
        /// So many rows or keys are read at a time.
        private static var most: Int { 8192 }

        func records(
            in table: TableNumber, after row: Int64, asOf commit: CommitNumber?, _ core: SQLCore,
            _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
        ) throws(BackendError) -> Int64? {
            try ask(
                asOf: commit, core
            ) { tables, commit in
                guard tables.kind(of: table, at: commit) == .record else { return nil }
                let question = PostgresQuestion(
                    text: text(.record, table, "row > $2", descending: false), isLarge: true)
                question.parameters.set(commit, at: 1)
                question.parameters.set(row, at: 2)
                question.parameters.set(Int64(Self.most), at: 3)
                return question
            } _: { (result, _) throws(BackendError) -> Int64? in
                for index in 0..<result.count {
                    let number = result.number(index, 0)
                    let stored = result.bytes(index, 1)
                    guard let row = UInt32(exactly: number).map(RowID.init(rawValue:)),
                        StoredValue.isSound(stored, of: row)
                    else { throw place.damaged("row \(number) of table \(table)") }
                    if !body(row, StoredValue.value(stored)) { return number }
                }
                return isWhole(result, Self.most) ? nil : result.number(result.count - 1, 0)
            } ?? nil
        }

        func entries(
            in table: TableNumber, _ range: KeyRange, descending: Bool, limit: Int,
            asOf commit: CommitNumber?, _ core: SQLCore,
            _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
        ) throws(BackendError) -> [UInt8]? {
            if table == .catalog, let entries = try catalogEntries(asOf: commit, core) {
                return try PostgresCatalog.forEach(
                    of: entries, in: range, descending: descending, place, body)
            }
            // A run of rows takes more of them than a run of entries mostly does.
            let limit = min(max(limit, 1), limit > RowRun.fullCount ? Self.most : RowRun.fullCount)
            return try ask(
                asOf: commit, core
            ) { tables, commit in
                guard let kind = tables.kind(of: table, at: commit), kind != .record else {
                    return nil
                }
                let bounds = "key >= $2" + (range.upper == nil ? "" : " AND key < $4")
                let question = PostgresQuestion(
                    text: text(kind, table, bounds, descending: descending),
                    isLarge: limit > Self.few)
                set(range, in: question, commit, limit)
                return question
            } _: { (result, _) throws(BackendError) -> [UInt8]? in
                for index in 0..<result.count {
                    let (key, stored) = (result.bytes(index, 0), result.bytes(index, 1))
                    guard StoredValue.isSound(stored, of: key) else {
                        throw place.damaged("a key of table \(table)")
                    }
                    if !body(key, StoredValue.value(stored)) { return [UInt8](key) }
                }
                return isWhole(result, limit)
                    ? nil : [UInt8](result.bytes(result.count - 1, 0))
            } ?? nil
        }

        /// Whether an answer reaches the end of what was asked for: it is as much as neither limit has cut.
        private func isWhole(_ result: PostgresResult, _ limit: Int) -> Bool {
            result.count < limit
                && (0..<result.count).reduce(0) { $0 + result.bytes($1, 1).count }
                    < RecordRun.fullSize
        }

        /// What is and what was as of a commit, in order: as much as fills a run, up to the limit. No row or key is in both, and what was is not looked at where the commit is the last one.
        private func text(
            _ kind: TableKind, _ table: TableNumber, _ bounds: String, descending: Bool
        ) -> String {
            let column = SQLSchema.column(kind)
            let order = "ORDER BY \(column)" + (descending ? " DESC" : "")
            let now =
                "SELECT \(column), value FROM \(schema).\(SQLSchema.name(kind, table)) "
                + "WHERE \(bounds) AND made <= $1 \(order) LIMIT $3"
            let past =
                "SELECT \(column), value FROM \(schema).\(SQLSchema.past(kind)) WHERE tbl = \(table) "
                + "AND \(bounds) AND until + 0 > $1 AND made <= $1 AND value IS NOT NULL "
                + "AND $1 < (SELECT last FROM \(schema).store) \(order) LIMIT $3"
            let size = "sum(octet_length(value)) OVER (\(order) ROWS UNBOUNDED PRECEDING)"
            return
                "SELECT \(column), value FROM (SELECT \(column), value, "
                + "\(size) - octet_length(value) AS before "
                + "FROM ((\(now)) UNION ALL (\(past)) \(order) LIMIT $3) a) b "
                + "WHERE before < \(RecordRun.fullSize) \(order)"
        }
    }
#endif
