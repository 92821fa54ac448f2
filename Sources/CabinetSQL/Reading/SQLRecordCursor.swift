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
        last = try reader.read { state throws(BackendError) in
            try state.fill(run, in: table, after: after)
        }
        return !run.isEmpty
    }
}

extension StateAsOf {
    /// Adds the rows behind one, until the run is full. Returns the last one; `nil` at the end.
    fileprivate func fill(
        _ run: RecordRun, in table: TableNumber, after row: Int64
    ) throws(BackendError) -> Int64? {
        guard kind(of: table) == .record else { return nil }
        let now = try session.statement(.rows(table))
        now.bind(row, at: 1)
        now.bind(commit, at: 2)
        defer { now.reset() }
        guard !isLast else {
            while try now.step() {
                let row = try add(now, to: run, table)
                if run.isFull { return row }
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
            let row = try add(isNow ? now : past, to: run, table)
            if run.isFull { return row }
            if isNow { hasNow = try now.step() } else { hasPast = try past.step() }
        }
        return nil
    }

    private func add(
        _ statement: any SQLStatement, to run: RecordRun, _ table: TableNumber
    ) throws(BackendError) -> Int64 {
        let number = statement.number(0)
        let stored = statement.bytes(1)
        guard let row = UInt32(exactly: number).map(RowID.init(rawValue:)),
            StoredValue.isSound(stored, of: row)
        else { throw damaged("row \(number)", table) }
        run.append(row, StoredValue.value(stored))
        return number
    }
}
