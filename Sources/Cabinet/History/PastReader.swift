import CabinetBackend

/// Reads a store as of a commit: what a frozen reader of a later one has, with what was replaced since put
/// back.
///
/// Layouts, authors and other entries of the catalog are those of the later commit: they stay for good.
/// Of a table that a commit between the two has changed without saying what it has replaced, rows that did not
/// change can be read; all else throws ``BackendError/changesGone(oldest:)``. `Sendable`: it does not change.
final class PastReader: PastReading {
    private let base: any BackendReader
    private let commit: CommitNumber
    private let state: FormerState

    init(_ base: any BackendReader, asOf commit: CommitNumber, _ state: FormerState) {
        (self.base, self.commit, self.state) = (base, commit, state)
    }

    var identity: UInt64 { base.identity }

    func lastCommit() throws(BackendError) -> CommitNumber {
        // The reader below may be given up, or the store closed.
        _ = try base.lastCommit()
        return commit
    }

    func tables() throws(BackendError) -> [TableDefinition] {
        try base.tables().filter { $0.kind == .record }
    }

    /// What to read of a table beside the base; `nil`: nothing.
    private func changedRows(
        of table: TableNumber
    ) throws(BackendError) -> FormerContents<RowID>? {
        if let gap = state.gap(of: table) { throw .changesGone(oldest: gap) }
        return state[table]
    }

    /// Likewise, to look at single rows: those that did not change can be read.
    private func rowsToLookAt(
        of table: TableNumber
    ) throws(BackendError) -> FormerContents<RowID>? {
        if let gap = state.wholeGap(of: table) { throw .changesGone(oldest: gap) }
        return state[table]
    }

    // MARK: Counts

    func count(of table: TableNumber) throws(BackendError) -> Int {
        if table == .namedBuffers {
            if let gap = state.gap(of: table) { throw .changesGone(oldest: gap) }
            return try base.count(of: table) + state.names.excess
        }
        let rows = try changedRows(of: table)
        if table == .catalog { return try base.count(of: table) }
        guard try isOfRecords(table) else { return 0 }
        return try base.count(of: table) + (rows?.excess ?? 0)
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        table == .catalog || table == .namedBuffers ? try count(of: table) : 0
    }

    func rank(of key: UnsafeRawBufferPointer, in table: TableNumber) -> Int { 0 }

    func key(at offset: Int, in table: TableNumber) -> [UInt8]? { nil }

    private func isOfRecords(_ table: TableNumber) throws(BackendError) -> Bool {
        try base.tables().contains { $0.number == table && $0.kind == .record }
    }

    // MARK: Rows

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        guard let rows = try rowsToLookAt(of: table) else {
            return try base.value(of: row, in: table, into: buffer)
        }
        return try rows.withContent(of: row) { content throws(BackendError) in
            if let isThere = try Self.take(content, into: buffer) { return isThere }
            return try base.value(of: row, in: table, into: buffer)
        }
    }

    /// `nil`: the base has it.
    private static func take(
        _ content: FormerContents<some FormerPlace>.Content, into buffer: DataBuffer
    ) throws(BackendError) -> Bool? {
        switch content {
        case .same: return nil
        case .absent: buffer.removeAll()
        case .unknown(let commit): throw .changesGone(oldest: commit)
        case .value(let bytes):
            buffer.removeAll()
            buffer.writeRawBytes(bytes)
            return true
        }
        return false
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        guard let changed = try rowsToLookAt(of: table) else {
            return try base.values(of: rows, in: table, into: run)
        }
        let some = rows.prefix(Self.most)
        let same = some.filter { !changed.contains($0) }
        let found = RecordRun(capacity: 4096)
        var left = same.isEmpty ? 0 : try base.values(of: same[...], in: table, into: found)
        var next = found.next()
        run.removeAll()
        var looked = 0
        for row in some where !run.isFull {
            // What the call throws for, the next one begins with.
            let goesOn = try changed.withContent(of: row) { content throws(BackendError) in
                switch content {
                case .same:
                    left -= 1
                    guard left >= 0, let (known, value) = next, known == row else { break }
                    run.append(row, value)
                    next = found.next()
                case .absent: break
                case .unknown(let commit):
                    guard looked > 0 else { throw .changesGone(oldest: commit) }
                    return false
                case .value(let bytes): run.append(row, bytes)
                }
                return left >= 0
            }
            guard goesOn else { break }
            looked += 1
        }
        return looked
    }

    /// So many rows are looked up at a time.
    private static var most: Int { 4096 }

    func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        guard let changed = try rowsToLookAt(of: table) else {
            return try base.presentRows(among: rows, in: table)
        }
        let same = rows.filter { !changed.contains($0) }
        var found = try base.presentRows(among: same[...], in: table)[...]
        var present: [RowID] = []
        for row in rows {
            if !changed.contains(row) {
                if found.first == row { present.append(found.removeFirst()) }
                continue
            }
            let isThere = try changed.withContent(of: row) { content throws(BackendError) in
                switch content {
                case .same, .absent: return false
                case .value: return true
                case .unknown(let commit): throw .changesGone(oldest: commit)
                }
            }
            if isThere { present.append(row) }
        }
        return present
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        let rows = try changedRows(of: table)
        let cursor = try base.records(in: table)
        if let rows { return PastRecordCursor(cursor, rows) }
        return cursor
    }

    // MARK: Keys

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        switch table {
        case .catalog where !Self.isHidden(key): break
        case .namedBuffers where !state.names.isEmpty:
            return try state.names.withContent(of: [UInt8](key)) { content throws(BackendError) in
                if let isThere = try Self.take(content, into: buffer) { return isThere }
                return try base.value(forKey: key, in: table, into: buffer)
            }
        case .namedBuffers: break
        default:
            buffer.removeAll()
            return false
        }
        return try base.value(forKey: key, in: table, into: buffer)
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let names = table == .namedBuffers ? state.names : FormerContents()
        guard table == .catalog || table == .namedBuffers else {
            return PastEntryCursor(nil, names)
        }
        if table == .namedBuffers, let gap = state.gap(of: table) {
            throw .changesGone(oldest: gap)
        }
        return PastEntryCursor(
            try base.entries(in: table, range: range, descending: descending), names,
            hiding: table == .catalog)
    }

    /// Whether an entry of the catalog tells of what is kept now of the records.
    static func isHidden(_ key: UnsafeRawBufferPointer) -> Bool {
        key.starts(with: CatalogName.derived(ofClass: nil).utf8)
    }
}
