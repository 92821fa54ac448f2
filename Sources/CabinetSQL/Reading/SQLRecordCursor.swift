import CabinetBackend

/// A walk over rows in the order of their numbers. Each step is a transaction of its own.
final class SQLRecordCursor: RecordCursor {
    private let reader: SQLReader
    private let table: TableNumber
    /// The last row that was met; `nil` at the end.
    private var last: Int64? = -1

    init(_ reader: SQLReader, _ table: TableNumber) {
        self.reader = reader
        self.table = table
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        run.removeAll()
        guard let after = last else {
            try reader.core.pool.checkOpen()
            return false
        }
        last = try reader.core.route.records(
            in: table, after: after, asOf: reader.hold?.commit, reader.core
        ) {
            run.append($0, $1)
            return !run.isFull
        }
        return !run.isEmpty
    }
}

extension StateAsOf {
    /// Calls `body` with the rows behind one until it returns `false`. Returns the last one then; `nil` at the
    /// end.
    func forEachRow(
        in table: TableNumber, after row: Int64,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int64? {
        guard kind(of: table) == .record else { return nil }
        let now = try session.statement(.rows(table))
        now.bind(row, at: 1)
        now.bind(commit, at: 2)
        defer { now.reset() }
        guard !isLast else {
            while try now.step() {
                if let last = try give(now, table, body) { return last }
            }
            return nil
        }
        let past = try session.statement(.pastRows)
        past.bind(Int64(table.rawValue), at: 1)
        past.bind(row, at: 2)
        past.bind(commit, at: 3)
        defer { past.reset() }
        var (hasNow, hasPast) = (try now.step(), try past.step())
        while hasNow || hasPast {
            // No row is in both: what was replaced before the commit is not asked for.
            let isNow = hasNow && (!hasPast || now.number(0) < past.number(0))
            if let last = try give(isNow ? now : past, table, body) { return last }
            if isNow { hasNow = try now.step() } else { hasPast = try past.step() }
        }
        return nil
    }

    /// Returns the row if no more are wanted.
    private func give(
        _ statement: any SQLStatement, _ table: TableNumber,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int64? {
        let number = statement.number(0)
        let stored = statement.bytes(1)
        guard let row = UInt32(exactly: number).map(RowID.init(rawValue:)),
            StoredValue.isSound(stored, of: row)
        else { throw damaged("row \(number)", table) }
        return body(row, StoredValue.value(stored)) ? nil : number
    }
}
