import CabinetBackend

extension MemoryBackend {
    public func count(of table: TableNumber) throws(BackendError) -> Int {
        try withContents { contents in
            contents.table(table)?.count ?? 0
        }
    }

    public func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        try withContents { $0.table(table)?.entries?.count(in: range) ?? 0 }
    }

    public func rank(
        of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) -> Int {
        let range = KeyRange(to: [UInt8](key))
        return try withContents { $0.orderedEntries(of: table)?.count(in: range) ?? 0 }
    }

    public func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]? {
        try withContents { $0.orderedEntries(of: table)?.key(at: offset) }
    }

    public func lastCommit() throws(BackendError) -> CommitNumber {
        try withContents { $0.lastCommit }
    }

    public func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        run.removeAll()
        return try withContents { contents in
            var looked = 0
            let records = contents.table(table)?.records
            for row in rows {
                if let value = records?.value(of: row) { run.append(row, value) }
                looked += 1
                if run.isFull { break }
            }
            return looked
        }
    }

    public func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        try withContents { contents in
            let records = contents.table(table)?.records
            return rows.filter { records?.value(of: $0) != nil }
        }
    }

    public func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        let buffer = DataBuffer()
        return try withContents { contents throws(BackendError) in
            let entries = contents.table(table)?.entries
            return try run.fill(with: keys) { key in
                Self.copy(entries?.value(for: key), into: buffer) ? buffer : nil
            }
        }
    }

    public func snapshot(label: String) throws(BackendError) -> any BackendReader {
        FrozenMemory(of: self, try withContents { $0.window.hold($0.lastCommit, label: label) })
    }

    public var openSnapshots: [OpenSnapshot] {
        // After closing nothing is held.
        (try? withContents { $0.window.openSnapshots }) ?? []
    }

    /// A reader does not hold its commit any more.
    func release(_ hold: Hold) {
        // After closing nothing is held.
        try? withContents { $0.window.release(hold) }
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
    static func copy(_ value: UnsafeRawBufferPointer?, into buffer: DataBuffer) -> Bool {
        buffer.removeAll()
        guard let value else { return false }
        buffer.writeRawBytes(value)
        return true
    }

    public func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try checkOpen()
        return MemoryRecordCursor { [self] run, start throws(BackendError) in
            try withContents { $0.table(table)?.records?.fill(run, from: start) }
        }
    }

    public func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let isOrdered = try withContents { $0.kind(of: table) != .named }
        return MemoryEntryCursor(range, isDescending: descending, isOrdered: isOrdered) {
            [self] run, stretch throws(BackendError) in
            try withContents { contents in
                guard let entries = contents.table(table)?.entries else { return nil }
                if descending {
                    return entries.fillBackwards(
                        run, limit: stretch.limit, before: stretch.end,
                        downTo: stretch.start?.key)
                } else {
                    return entries.fill(
                        run, limit: stretch.limit, from: stretch.start, before: stretch.end)
                }
            }
        }
    }
}
