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
            while true {
                let portion = portion(of: table, Self.most)
                let found = try ask(
                    asOf: commit, core
                ) { tables, commit in
                    guard tables.kind(of: table, at: commit) == .record else { return nil }
                    let question = PostgresQuestion(
                        text: text(.record, table, "row > $2", descending: false, portion),
                        isLarge: true)
                    question.parameters.set(commit, at: 1)
                    question.parameters.set(row, at: 2)
                    question.parameters.set(Int64(portion.limit), at: 3)
                    return question
                } _: { (result, _) throws(BackendError) -> Step<Int64> in
                    try take(result, portion, of: table) { index throws(BackendError) in
                        let (number, stored) = (result.number(index, 0), result.bytes(index, 1))
                        guard let row = UInt32(exactly: number).map(RowID.init(rawValue:)),
                            StoredValue.isSound(stored, of: row)
                        else { throw place.damaged("row \(number) of table \(table)") }
                        return body(row, StoredValue.value(stored))
                    } place: {
                        result.number($0, 0)
                    }
                }
                if let found, case .again = found { continue }
                return found?.place
            }
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
            while true {
                let portion = portion(of: table, limit)
                let found = try ask(
                    asOf: commit, core
                ) { tables, commit in
                    guard let kind = tables.kind(of: table, at: commit), kind != .record else {
                        return nil
                    }
                    let bounds = "key >= $2" + (range.upper == nil ? "" : " AND key < $4")
                    let question = PostgresQuestion(
                        text: text(kind, table, bounds, descending: descending, portion),
                        isLarge: portion.limit > Self.few)
                    set(range, in: question, commit, portion.limit)
                    return question
                } _: { (result, _) throws(BackendError) -> Step<[UInt8]> in
                    try take(result, portion, of: table) { index throws(BackendError) in
                        let (key, stored) = (result.bytes(index, 0), result.bytes(index, 1))
                        guard StoredValue.isSound(stored, of: key) else {
                            throw place.damaged("a key of table \(table)")
                        }
                        return body(key, StoredValue.value(stored))
                    } place: {
                        [UInt8](result.bytes($0, 0))
                    }
                }
                if let found, case .again = found { continue }
                return found?.place
            }
        }

        // MARK: How much is asked for

        /// How many rows or keys are asked for, and, where those before were small, the size of the largest
        /// value that comes with them: the server then counts no bytes, which takes it most of its time.
        struct Portion {
            var limit: Int
            var largest: Int?

            /// The value, or NULL; `nil`: the server counts.
            var small: String? {
                largest.map { "CASE WHEN octet_length(value) <= \($0) THEN value END AS value" }
            }
        }

        /// What is taken of an answer.
        private enum Step<Place> {
            case end
            case after(Place)
            /// Nothing, as the first value is too large.
            case again

            var place: Place? { if case .after(let place) = self { place } else { nil } }
        }

        func portion(of table: TableNumber, _ limit: Int) -> Portion {
            guard let width = widths.withLock({ $0[table] }), width > 0 else {
                return Portion(limit: limit)
            }
            // A little more than a run takes.
            let count = RecordRun.fullSize / width
            return Portion(limit: min(limit, count + count / 32 + 1), largest: 16 * width)
        }

        /// Gives what an answer holds until `body` wants no more, and takes note of how large it is.
        private func take<Place>(
            _ result: PostgresResult, _ portion: Portion, of table: TableNumber,
            _ body: (_ index: Int32) throws(BackendError) -> Bool, place: (_ index: Int32) -> Place
        ) throws(BackendError) -> Step<Place> {
            var (size, count) = (0, 0)
            defer {
                if count > Self.few {
                    widths.withLock { if $0[table] != 0 { $0[table] = size / count } }
                }
            }
            for index in 0..<result.count {
                if result.isNull(index, 1) {
                    noteDifferentWidths(of: table)
                    return index == 0 ? .again : .after(place(index - 1))
                }
                size += result.bytes(index, 1).count + Self.overhead
                count += 1
                if try !body(index) { return .after(place(index)) }
            }
            // It is as much as neither limit has cut.
            let isWhole =
                result.count < portion.limit
                && (portion.largest != nil || size < RecordRun.fullSize)
            return isWhole ? .end : .after(place(result.count - 1))
        }

        /// Values of a table differ so much that the server has to count.
        func noteDifferentWidths(of table: TableNumber) { widths.withLock { $0[table] = 0 } }

        /// What a row takes in a run beside its value and its sum.
        private static var overhead: Int { 4 }

        /// What is and what was as of a commit, in order: as much as fills a run, up to the limit; or as many as
        /// that, with NULL for what is too large. No row or key is in both, and what was is not looked at where
        /// the commit is the last one.
        private func text(
            _ kind: TableKind, _ table: TableNumber, _ bounds: String, descending: Bool,
            _ portion: Portion
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
            let all = "((\(now)) UNION ALL (\(past)) \(order) LIMIT $3) a"
            if let small = portion.small {
                return "SELECT \(column), \(small) FROM \(all) \(order)"
            }
            let size = "octet_length(value) + \(Self.overhead)"
            return
                "SELECT \(column), value FROM (SELECT \(column), value, "
                + "sum(\(size)) OVER (\(order) ROWS UNBOUNDED PRECEDING) - (\(size)) AS before "
                + "FROM \(all)) b WHERE before < \(RecordRun.fullSize) \(order)"
        }
    }
#endif
