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

    /// Calls `body` with the store as of the reader's commit.
    func read<Result>(
        _ body: (StateAsOf) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try core.read(asOf: hold?.commit, body)
    }

    func lastCommit() throws(BackendError) -> CommitNumber {
        if let hold { return try read { _ in hold.commit } }
        try core.pool.checkOpen()
        return core.lastKnown
    }

    func tables() throws(BackendError) -> [TableDefinition] { try read { $0.tables() } }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        try read { state throws(BackendError) in try state.count(of: table) }
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        try read { state throws(BackendError) in
            try state.count(of: range, in: table, upTo: limit)
        }
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        buffer.removeAll()
        return try read { state throws(BackendError) in
            try state.value(of: row, in: table) { buffer.writeRawBytes($0) } != nil
        }
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        run.removeAll()
        return try read { state throws(BackendError) in
            var looked = 0
            for row in rows {
                _ = try state.value(of: row, in: table) { run.append(row, $0) }
                looked += 1
                if run.isFull { break }
            }
            return looked
        }
    }

    func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        try read { state throws(BackendError) in
            var present: [RowID] = []
            for row in rows
            where try state.value(of: row, in: table, checked: false, { _ in }) != nil {
                present.append(row)
            }
            return present
        }
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        buffer.removeAll()
        return try read { state throws(BackendError) in
            try state.value(forKey: key, in: table) { buffer.writeRawBytes($0) } != nil
        }
    }

    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        let buffer = DataBuffer()
        return try read { state throws(BackendError) in
            try run.fill(with: keys) { key throws(BackendError) in
                buffer.removeAll()
                return try state.value(forKey: key, in: table) {
                    buffer.writeRawBytes($0)
                    return buffer
                }
            }
        }
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try core.pool.checkOpen()
        return SQLRecordCursor(self, table)
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let isOrdered = try read { $0.kind(of: table) != .named }
        return SQLEntryCursor(self, table, range, descending: descending, isOrdered: isOrdered)
    }
}
