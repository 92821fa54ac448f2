import CabinetBackend

/// All that a memory backend holds. Not `Sendable`: the backend's lock guards it.
final class Contents {
    /// A table and what is in it: rows or keys.
    struct Table {
        var definition: TableDefinition
        let records: RecordTable?
        let entries: OrderedTable?

        init(_ definition: TableDefinition) {
            self.definition = definition
            let holdsRows = definition.kind == .record
            records = holdsRows ? RecordTable() : nil
            entries = holdsRows ? nil : OrderedTable()
        }

        /// How many rows or keys there are.
        var count: Int { records?.count ?? entries?.count ?? 0 }
        /// Rows or keys, for a window to keep.
        var content: AnyObject? { records ?? entries }
    }

    /// By number; `nil` where a number is free, reserved or dropped.
    @exclusivity(unchecked) var tables: [Table?]
    /// The numbers of tables that were dropped, each with the commit that did so.
    private var dropped: [TableNumber: CommitNumber] = [:]
    /// Those of derived ordered tables, which may be used again.
    private var reusable: Set<TableNumber> = []
    /// Those that were given out again, and have no table yet.
    private var reused: Set<TableNumber> = []
    var lastCommit: CommitNumber = 0
    private var isClosed = false
    /// The changes of the latest commits.
    let feed: CommitFeed
    /// What was, for readers that are frozen.
    let window: VersionWindow
    private var claims = TableClaims()

    /// The number to reserve next, and per table the row to reserve next.
    var nextTable = Int(TableNumber.firstFree.rawValue)
    var nextRows: [TableNumber: RowID] = [:]

    init(feedLimit: Int, _ snapshots: SnapshotLimits) {
        window = VersionWindow(limits: snapshots) { () throws(BackendError) in
            try TemporaryFile()
        }
        feed = CommitFeed(limit: feedLimit)
        tables = [
            Table(TableDefinition(number: .catalog, kind: .named, name: "Catalog")),
            Table(TableDefinition(number: .namedBuffers, kind: .named, name: "NamedBuffers")),
        ]
    }

    /// `nil`: there is no such table.
    @inline(__always)
    func table(_ number: TableNumber) -> Table? {
        number.index < tables.count ? tables[number.index] : nil
    }

    /// The keys of an ordered table; `nil`: there is no such table.
    func orderedEntries(of number: TableNumber) -> OrderedTable? {
        guard let table = table(number), table.definition.kind == .ordered else { return nil }
        return table.entries
    }

    func checkOpen() throws(BackendError) {
        if isClosed { throw .closed }
    }

    func close() {
        isClosed = true
        tables = []
        nextRows = [:]
        window.removeAll()
        feed.clear(upTo: lastCommit)
    }

    // MARK: Reserving

    func reserveTable() throws(BackendError) -> TableNumber {
        guard let number = UInt16(exactly: nextTable) else { throw .tablesExhausted }
        nextTable += 1
        return TableNumber(number)
    }

    func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        var claims = claims
        defer { self.claims = claims }
        return try claims.grant(wanted, tables: definitions, isSpent: isSpent) {
            () throws(BackendError) in
            guard Self.isReusable(wanted.kind, wanted.flags), let number = takeReusable() else {
                return try reserveTable()
            }
            return number
        }
    }

    private static func isReusable(_ kind: TableKind, _ flags: TableFlags) -> Bool {
        kind == .ordered && flags.contains(.derived)
    }

    /// The number of a table that no reader sees any more.
    private func takeReusable() -> TableNumber? {
        let oldest = window.oldest ?? .max
        let free = reusable.filter { number in dropped[number].map { $0 <= oldest } ?? false }
        guard let free = free.min() else { return nil }
        reusable.remove(free)
        reused.insert(free)
        return free
    }

    /// A table has that number now.
    func noteDefined(_ number: TableNumber) {
        nextTable = max(nextTable, number.index + 1)
        dropped[number] = nil
        reused.remove(number)
    }

    /// The next commit drops that table.
    func noteDropped(_ table: TableDefinition) {
        nextRows[table.number] = nil
        dropped[table.number] = lastCommit.next
        if Self.isReusable(table.kind, table.flags) { reusable.insert(table.number) }
    }

    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        let first = nextRows[table] ?? RowID.first
        let wanted = max(count, 1)
        guard Int(wanted) <= first.distance(to: .max) else { throw .rowsExhausted(table) }
        nextRows[table] = first.advanced(by: Int(wanted))
        return first...first.advanced(by: Int(wanted) - 1)
    }

    /// The highest row that is not given out any more.
    func highestRow(of table: TableNumber) -> RowID {
        nextRows[table].map { RowID($0.rawValue - 1) } ?? .none
    }

    /// Ensures that rows up to `row` are not given out any more.
    func retire(_ row: RowID, in table: TableNumber) {
        guard row >= nextRows[table] ?? RowID.first else { return }
        nextRows[table] = row == .max ? .max : row.next
    }
}

extension Contents: TableDirectory {
    func kind(of number: TableNumber) -> TableKind? { table(number)?.definition.kind }
    func definition(of number: TableNumber) -> TableDefinition? { table(number)?.definition }
    func isSpent(_ number: TableNumber) -> Bool {
        dropped[number] != nil && !reused.contains(number)
    }

    /// All tables but the two that are always there.
    var definitions: [TableDefinition] {
        tables.dropFirst(TableNumber.firstFree.index).compactMap { $0?.definition }
    }
}
