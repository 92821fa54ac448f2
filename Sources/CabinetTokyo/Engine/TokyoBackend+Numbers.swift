import CabinetBackend

extension TokyoBackend {
    /// The numbers of tables and rows that are given out next.
    struct Counters {
        /// The lowest table number that no table ever had, and that was not given out.
        private var nextTable: Int
        /// How many table numbers there are.
        private let tableLimit: Int
        /// The row to give out next, by table.
        var nextRows = TableMap<RowID>()
        var claims = TableClaims()
        /// As the last commit has left them.
        private(set) var dropped: DroppedTables
        /// The last commit in the snapshot.
        var snapshotCommit: CommitNumber
        /// The views have nothing of what commits up to this one have replaced: so far as is known.
        var erased: CommitNumber = 0
        /// Numbers of dropped tables that were given out again, and have no table yet.
        private(set) var reused: Set<TableNumber> = []

        init(of opened: Opening.Opened, tableLimit: Int) {
            self.tableLimit = tableLimit
            nextTable = max(opened.highestTable.index + 1, TableNumber.firstFree.index)
            dropped = opened.dropped
            snapshotCommit = opened.snapshotCommit
            for table in opened.tables {
                guard let table, table.highestRow > 0 else { continue }
                nextRows[table.number] = table.highestRow == .max ? .max : table.highestRow.next
            }
        }

        /// A number that no table ever had.
        mutating func takeTable() throws(BackendError) -> TableNumber {
            guard nextTable < tableLimit else { throw .tablesExhausted }
            defer { nextTable += 1 }
            return TableNumber(UInt16(nextTable))
        }

        /// A number for a new table that is claimed: of a derived ordered one, that of a table which was
        /// one and is gone, if there is any.
        /// - Parameter oldest: the oldest commit that a reader holds.
        mutating func takeTable(
            for claim: TableClaim, oldest: CommitNumber?
        ) throws(BackendError) -> TableNumber {
            guard claim.kind == .ordered, claim.flags.contains(.derived) else {
                return try takeTable()
            }
            let known = min(snapshotCommit, oldest ?? .max)
            var free: TableNumber?
            for (number, commit) in dropped.commits where commit <= known {
                if number < free ?? .max, !reused.contains(number) { free = number }
            }
            guard let free else { return try takeTable() }
            reused.insert(free)
            return free
        }

        /// A table has that number now.
        mutating func noteDefined(_ number: TableNumber) {
            nextTable = max(nextTable, number.index + 1)
            dropped.remove(number)
            reused.remove(number)
        }

        mutating func noteDropped(_ table: TableDefinition, _ commit: CommitNumber) {
            nextRows[table.number] = nil
            dropped.note(table, droppedBy: commit)
        }

        /// Whether so many tables were dropped since the snapshot that a new one is worth its time: 1,024,
        /// or an eighth of all numbers.
        var needSnapshot: Bool {
            dropped.count(after: snapshotCommit) >= min(1 << 10, tableLimit / 8)
        }
    }

    /// What the catalog is to say of dropped tables after the next commit, which is `batch`; `nil`: what it
    /// says now.
    func droppedTables(after batch: WriteBatch) -> DroppedTables? {
        let before = counters.withLock { $0.dropped }
        var dropped = before
        for definition in batch.definitions { dropped.remove(definition.number) }
        for number in batch.drops {
            guard let table = table(number) else { continue }
            dropped.note(table.definition, droppedBy: commitLog.lastCommit.next)
        }
        return dropped == before ? nil : dropped
    }

    public func reserveTable() throws(BackendError) -> TableNumber {
        try checkWritable()
        return try counters.withLock { counters throws(BackendError) in try counters.takeTable() }
    }

    public func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try checkProcess()
        // The tables, and what readers hold, stay as they are while the lock is held.
        return try lock.reading { () throws(BackendError) in
            try checkOpen()
            let tables = byNumber.compactMap { $0?.definition }.filter { $0.number >= .firstFree }
            return try counters.withLock { counters throws(BackendError) in
                var claims = counters.claims
                defer { counters.claims = claims }
                let reused = counters.reused
                return try claims.grant(
                    wanted, tables: tables,
                    isSpent: { retired.contains($0) && !reused.contains($0) }
                ) { () throws(BackendError) in
                    guard access == .readWrite else { throw .readOnly(path: location) }
                    return try counters.takeTable(for: wanted, oldest: window.oldest)
                }
            }
        }
    }

    public func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        try checkWritable()
        let rows = counters.withLock { counters -> ClosedRange<RowID>? in
            let first = counters.nextRows[table] ?? RowID.first
            let wanted = max(count, 1)
            guard Int(wanted) <= first.distance(to: .max) else { return nil }
            counters.nextRows[table] = first.advanced(by: Int(wanted))
            return first...first.advanced(by: Int(wanted) - 1)
        }
        guard let rows else { throw .rowsExhausted(table) }
        return rows
    }

    public func highestRow(of table: TableNumber) throws(BackendError) -> RowID {
        let buffer = DataBuffer()
        let isThere = try Array(CatalogKey.rows(table).utf8).withUnsafeBytesThrowing {
            key throws(BackendError) in try value(forKey: key, in: .catalog, into: buffer)
        }
        guard isThere else { return .none }
        return RowID(buffer.withUnsafeBytes { CatalogKey.counter(from: $0) } ?? 0)
    }
}
