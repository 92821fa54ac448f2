import CabinetBackend

extension DictionaryBackend {
    public func count(of table: TableNumber) throws(BackendError) -> Int {
        try withState { state in
            guard let table = state.tables[table] else { return 0 }
            return table.definition.kind == .record ? table.rows.count : table.keys.count
        }
    }

    public func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        copy(try withState { $0.tables[table]?.rows[row] }, into: buffer)
    }

    public func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        let key = Array(key)
        return copy(try withState { $0.tables[table]?.keys[key] }, into: buffer)
    }

    public func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        DictionaryRecords(self, try withState { $0.tables[table]?.rows ?? [:] })
    }

    public func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let (keys, isOrdered) = try withState { state in
            (state.tables[table]?.keys ?? [:], state.kind(of: table) != .named)
        }
        return DictionaryEntries(self, keys, range, descending, isOrdered: isOrdered)
    }
}

/// A walk over the rows that were there when it began.
final class DictionaryRecords: RecordCursor {
    private let backend: DictionaryBackend
    private let rows: [(key: RowID, value: [UInt8])]
    private var place = 0

    init(_ backend: DictionaryBackend, _ rows: [RowID: [UInt8]]) {
        self.backend = backend
        self.rows = rows.sorted { $0.key < $1.key }
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        _ = try backend.lastCommit()
        run.removeAll()
        while place < rows.count, !run.isFull {
            rows[place].value.withUnsafeBytes { run.append(rows[place].key, $0) }
            place += 1
        }
        return !run.isEmpty
    }
}

/// A walk over the keys that were there when it began.
final class DictionaryEntries: EntryCursor {
    private let backend: DictionaryBackend
    private let entries: [(key: [UInt8], value: [UInt8])]
    private let isDescending: Bool
    private let isOrdered: Bool
    private var place = 0

    init(
        _ backend: DictionaryBackend, _ keys: [[UInt8]: [UInt8]], _ range: KeyRange,
        _ descending: Bool, isOrdered: Bool
    ) {
        self.backend = backend
        self.isOrdered = isOrdered
        isDescending = descending
        let inside = keys.filter { key, _ in
            !(range.lower.map { key.lexicographicallyPrecedes($0) } ?? false)
                && range.upper.map { key.lexicographicallyPrecedes($0) } ?? true
        }
        entries = inside.sorted {
            descending
                ? $1.key.lexicographicallyPrecedes($0.key)
                : $0.key.lexicographicallyPrecedes($1.key)
        }
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        _ = try backend.lastCommit()
        run.removeAll()
        var left = max(limit, 1)
        while place < entries.count, !run.isFull, left > 0 {
            entries[place].key.withUnsafeBytes { key in
                entries[place].value.withUnsafeBytes { run.append(key, $0) }
            }
            place += 1
            left -= 1
        }
        return !run.isEmpty
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        guard isOrdered else { throw .unsupported("a search in a table without an order") }
        place =
            entries.firstIndex { entry in
                isDescending
                    ? !key.lexicographicallyPrecedes(entry.key)
                    : !entry.key.lexicographicallyPrecedes(key)
            } ?? entries.count
    }
}
