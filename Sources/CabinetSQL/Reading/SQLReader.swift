import CabinetBackend

/// A store as of one commit that it holds, or as of the last commit that is known here.
///
/// `Sendable`, because it never changes.
final class SQLReader: BackendReader {
    let core: SQLCore
    /// `nil`: as of the last commit that is known.
    let hold: HeldCommit?

    init(_ core: SQLCore, _ hold: HeldCommit? = nil) {
        self.core = core
        self.hold = hold
    }

    deinit { if let hold { core.holds.release(hold) } }

    var identity: UInt64 { core.identity }

    private var commit: CommitNumber? { hold?.commit }

    func lastCommit() throws(BackendError) -> CommitNumber {
        if let hold {
            // Where it costs no way to a server, it is looked whether the commit is kept.
            _ = try core.route.kind(of: .catalog, asOf: hold.commit, core)
            return hold.commit
        }
        try core.pool.checkOpen()
        return core.lastKnown
    }

    func tables() throws(BackendError) -> [TableDefinition] {
        try core.route.tables(asOf: commit, core)
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        try core.route.count(of: table, asOf: commit, core)
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        try core.route.count(of: range, in: table, upTo: limit, asOf: commit, core)
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        buffer.removeAll()
        var isThere = false
        _ = try core.route.values(
            of: [row], in: table, checked: true, asOf: commit, core
        ) { _, value in
            isThere = true
            buffer.writeRawBytes(value)
            return true
        }
        return isThere
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        run.removeAll()
        return try core.route.values(of: rows, in: table, checked: true, asOf: commit, core) {
            run.append($0, $1)
            return !run.isFull
        }
    }

    func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        var present: [RowID] = []
        var left = rows
        while !left.isEmpty {
            let looked = try core.route.values(
                of: left, in: table, checked: false, asOf: commit, core
            ) { row, _ in
                present.append(row)
                return true
            }
            left = left.dropFirst(looked)
        }
        return present
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        buffer.removeAll()
        var isThere = false
        _ = try core.route.values(
            forKeys: [[UInt8](key)], in: table, asOf: commit, core
        ) { _, value in
            isThere = true
            buffer.writeRawBytes(value)
            return true
        }
        return isThere
    }

    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        run.removeAll()
        return try core.route.values(forKeys: keys, in: table, asOf: commit, core) {
            run.append($0, $1)
            return !run.isFull
        }
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try core.pool.checkOpen()
        return SQLRecordCursor(self, table)
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let isOrdered = try core.route.kind(of: table, asOf: commit, core) != .named
        return SQLEntryCursor(self, table, range, descending: descending, isOrdered: isOrdered)
    }
}
