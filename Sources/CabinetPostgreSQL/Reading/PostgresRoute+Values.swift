#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresRoute {
        /// So many rows or keys are looked up at a time.
        private static var most: Int { 4096 }
        /// So many take the server no time worth a statement.
        static var few: Int { 16 }

        func values(
            of rows: ArraySlice<RowID>, in table: TableNumber, checked: Bool,
            asOf commit: CommitNumber?, _ core: SQLCore,
            _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
        ) throws(BackendError) -> Int {
            while true {
                let most = Portion(limit: Self.most)
                let portion = checked ? portion(of: table, most.limit) : most
                let some = rows.prefix(portion.limit)
                let looked = try ask(
                    asOf: commit, core
                ) { tables, commit in
                    guard tables.kind(of: table, at: commit) == .record else { return nil }
                    let question = PostgresQuestion(
                        text: text("row", "bigint[]", .record, table, checked, portion),
                        isLarge: some.count > Self.few)
                    question.parameters.set(some.map { Int64($0.rawValue) }, at: 1)
                    question.parameters.set(commit, at: 2)
                    return question
                } _: { (result, _) throws(BackendError) -> Int in
                    try take(result, portion, some.count, of: table) {
                        (turn, stored) throws(BackendError) in
                        let row = some[some.startIndex + turn]
                        if checked, !StoredValue.isSound(stored, of: row) {
                            throw place.damaged("row \(row) of table \(table)")
                        }
                        return body(row, StoredValue.value(stored))
                    }
                }
                if looked != 0 || rows.isEmpty { return looked ?? rows.count }
            }
        }

        func values(
            forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, asOf commit: CommitNumber?,
            _ core: SQLCore,
            _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
        ) throws(BackendError) -> Int {
            if table == .catalog, let entries = try catalogEntries(asOf: commit, core) {
                return try PostgresCatalog.values(forKeys: keys, of: entries, place, body)
            }
            while true {
                let portion = portion(of: table, Self.most)
                let some = keys.prefix(portion.limit)
                let looked = try ask(
                    asOf: commit, core
                ) { tables, commit in
                    guard let kind = tables.kind(of: table, at: commit), kind != .record else {
                        return nil
                    }
                    let question = PostgresQuestion(
                        text: text("key", "bytea[]", kind, table, true, portion),
                        isLarge: some.count > Self.few)
                    question.parameters.set(some, at: 1)
                    question.parameters.set(commit, at: 2)
                    return question
                } _: { (result, _) throws(BackendError) -> Int in
                    try take(result, portion, some.count, of: table) {
                        (turn, stored) throws(BackendError) in
                        try some[some.startIndex + turn].withUnsafeBytesThrowing {
                            key throws(BackendError) in
                            guard StoredValue.isSound(stored, of: key) else {
                                throw place.damaged("a key of table \(table)")
                            }
                            return body(key, StoredValue.value(stored))
                        }
                    }
                }
                if looked != 0 || keys.isEmpty { return looked ?? keys.count }
            }
        }

        /// Gives the values of an answer until `body` wants no more.
        /// - Returns: how many of those asked for the server has looked up: all, unless their values were too
        ///   much. 0: the first one is too large to come with others.
        private func take(
            _ result: PostgresResult, _ portion: Portion, _ asked: Int, of table: TableNumber,
            _ body: (_ turn: Int, _ stored: UnsafeRawBufferPointer) throws(BackendError) -> Bool
        ) throws(BackendError) -> Int {
            for index in 0..<result.count {
                let turn = Int(result.number(index, 0))
                if result.isNull(index, 1) {
                    noteDifferentWidths(of: table)
                    return turn - 1
                }
                if try !body(turn - 1, result.bytes(index, 1)) { return turn }
            }
            guard portion.largest == nil, result.count > 0 else { return asked }
            let last = result.count - 1
            return result.number(last, 2) > result.count ? Int(result.number(last, 0)) : asked
        }

        /// Of each place its turn and value, as of a commit; as many as fill a run, and how many there are, or
        /// all, with NULL for what is too large.
        private func text(
            _ column: String, _ type: String, _ kind: TableKind, _ table: TableNumber,
            _ withValues: Bool, _ portion: Portion
        ) -> String {
            let (name, past) = (SQLSchema.name(kind, table), kind == .record ? "rows" : "keys")
            let value = withValues ? "COALESCE(t.value, p.value)" : "''::bytea"
            let all =
                "(SELECT u.turn, \(value) AS value FROM unnest($1::\(type)) WITH ORDINALITY "
                + "u(place, turn) LEFT JOIN \(schema).\(name) t ON t.\(column) = u.place AND t.made <= $2 "
                + "LEFT JOIN \(schema).past_\(past) p ON t.made IS NULL AND p.tbl = \(table) "
                + "AND p.\(column) = u.place AND p.until > $2 AND p.made <= $2 "
                + "WHERE t.made IS NOT NULL OR p.value IS NOT NULL) x"
            if let small = portion.small {
                return "SELECT turn, \(small) FROM \(all) ORDER BY turn"
            }
            return
                "SELECT turn, value, found FROM (SELECT turn, value, count(*) OVER () AS found, "
                + "sum(octet_length(value)) OVER (ORDER BY turn) - octet_length(value) AS before "
                + "FROM \(all)) y WHERE before < \(RecordRun.fullSize) ORDER BY turn"
        }

        // MARK: Counts

        func count(
            of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
        ) throws(BackendError) -> Int {
            try core.pool.checkOpen()
            let number = (commit ?? core.lastKnown).number
            if let known = counts.withLock({ $0.count(of: table, asOf: number) }) { return known }
            let count = try ask(
                asOf: commit, core
            ) { tables, commit in
                guard tables.kind(of: table, at: commit) != nil else { return nil }
                let question = PostgresQuestion(
                    text: "SELECT COALESCE((SELECT rows FROM \(schema).past_counts WHERE tbl = $1 "
                        + "AND until > $2 ORDER BY until LIMIT 1), "
                        + "(SELECT rows FROM \(schema).numbers WHERE tbl = $1), 0)")
                question.parameters.set(Int64(table.rawValue), at: 1)
                question.parameters.set(commit, at: 2)
                return question
            } _: { (result, _) throws(BackendError) in
                Int(result.number(0, 0))
            }
            return count ?? 0
        }

        func count(
            of range: KeyRange, in table: TableNumber, upTo limit: Int,
            asOf commit: CommitNumber?, _ core: SQLCore
        ) throws(BackendError) -> Int {
            if range == .everything { return try count(of: table, asOf: commit, core) }
            let count = try ask(
                asOf: commit, core
            ) { tables, commit in
                guard let kind = tables.kind(of: table, at: commit), kind != .record, limit > 0
                else {
                    return nil
                }
                let bounds = "key >= $2" + (range.upper == nil ? "" : " AND key < $4")
                let question = PostgresQuestion(
                    text: "SELECT (SELECT count(*) FROM (SELECT FROM "
                        + "\(schema).\(SQLSchema.name(kind, table)) "
                        + "WHERE made <= $1 AND \(bounds) LIMIT $3) a) + (SELECT count(*) FROM (SELECT FROM "
                        + "\(schema).past_keys WHERE tbl = \(table) AND \(bounds) AND until + 0 > $1 "
                        + "AND made <= $1 AND value IS NOT NULL "
                        + "AND $1 < (SELECT last FROM \(schema).store) LIMIT $3) b)",
                    isLarge: limit > Self.few)
                set(range, in: question, commit, limit)
                return question
            } _: { (result, _) throws(BackendError) in
                Int(result.number(0, 0))
            }
            return count ?? 0
        }

        /// Parameters 1 to 4 of a question about a range: commit, lower bound, limit, upper bound.
        func set(_ range: KeyRange, in question: PostgresQuestion, _ commit: Int64, _ limit: Int) {
            question.parameters.set(commit, at: 1)
            question.parameters.set(copying: range.lower ?? [], at: 2)
            question.parameters.set(Int64(limit), at: 3)
            if let upper = range.upper { question.parameters.set(copying: upper, at: 4) }
        }
    }
#endif
