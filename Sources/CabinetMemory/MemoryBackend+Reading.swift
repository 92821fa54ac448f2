import CabinetBackend

extension MemoryBackend {
    public func count(of table: TableNumber) throws(BackendError) -> Int {
        try withContents { contents in
            guard let table = contents.table(table) else { return 0 }
            return table.records?.count ?? table.entries?.count ?? 0
        }
    }

    public func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try withContents { contents in
            Self.copy(contents.table(table)?.records?.value(of: row), into: buffer)
        }
    }

    public func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try withContents { contents in
            Self.copy(contents.table(table)?.entries?.value(for: key), into: buffer)
        }
    }

    @inline(__always)
    private static func copy(_ value: UnsafeRawBufferPointer?, into buffer: DataBuffer) -> Bool {
        buffer.removeAll()
        guard let value else { return false }
        buffer.writeRawBytes(value)
        return true
    }

    public func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try checkOpen()
        return MemoryRecordCursor(of: self, table)
    }

    public func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try checkOpen()
        return MemoryEntryCursor(of: self, table, range, descending: descending)
    }

    /// Adds rows from `row` on. Returns where to go on, or `nil` at the end.
    func fill(
        _ run: RecordRun, from row: Int, in table: TableNumber
    ) throws(BackendError) -> Int? {
        try withContents { contents in
            contents.table(table)?.records?.fill(run, from: row)
        }
    }

    /// Adds what is left of a walk over keys. Returns the last key of a full run, or `nil` at the
    /// end.
    func fill(
        _ run: EntryRun, range: KeyRange, after passed: [UInt8]?, descending: Bool,
        in table: TableNumber
    ) throws(BackendError) -> [UInt8]? {
        try withContents { contents in
            guard let entries = contents.table(table)?.entries else { return nil }
            if descending {
                return entries.fillBackwards(
                    run, before: passed ?? range.upper, downTo: range.lower)
            } else {
                let start = passed ?? range.lower
                return entries.fill(
                    run, from: start.map { Bound(key: $0, isPassed: passed != nil) },
                    before: range.upper)
            }
        }
    }
}
