import CabinetBackend

/// A memory backend as it was at one commit, which the reader holds as long as it lives.
///
/// What has not changed since is read from the tables as they are now, the rest from the backend's
/// window. `Sendable`, because it never changes.
final class FrozenMemory: BackendReader {
    private let backend: MemoryBackend
    private let hold: Hold
    private var number: CommitNumber { hold.commit }

    init(of backend: MemoryBackend, _ hold: Hold) {
        self.backend = backend
        self.hold = hold
    }

    deinit { backend.release(hold) }

    var identity: UInt64 { backend.identity }

    /// Calls `body` with the contents, one caller at a time.
    private func withContents<Value>(
        _ body: (Contents) throws(BackendError) -> Value
    ) throws(BackendError) -> Value {
        try backend.withContents { contents throws(BackendError) in
            try hold.check()
            return try body(contents)
        }
    }

    func lastCommit() throws(BackendError) -> CommitNumber {
        try withContents { _ in number }
    }

    func tables() throws(BackendError) -> [TableDefinition] {
        try withContents { contents in
            var found: [TableDefinition] = []
            let numbers = Set(contents.definitions.map(\.number))
                .union(contents.window.redefinedTables)
            for table in numbers.inOrder() {
                let definition = contents.window.definition(
                    of: table, at: number, now: contents.definition(of: table))
                if let definition { found.append(definition) }
            }
            return found
        }
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        try withContents { contents in
            contents.window.count(
                of: table, at: number, now: contents.table(table)?.count ?? 0)
        }
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        try withContents { contents in
            contents.window.count(
                in: range, of: table, at: number, now: contents.entries(of: table, at: number))
        }
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try withContents { contents throws(BackendError) in
            try find(row, in: table, contents, into: buffer)
        }
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        run.removeAll()
        let buffer = DataBuffer()
        return try withContents { contents throws(BackendError) in
            var looked = 0
            for row in rows {
                if try find(row, in: table, contents, into: buffer) {
                    buffer.withUnsafeBytes { run.append(row, $0) }
                }
                looked += 1
                if run.isFull { break }
            }
            return looked
        }
    }

    func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        try withContents { contents in
            let now = contents.records(of: table, at: number)
            return rows.filter { row in
                switch contents.window.version(of: row, in: table, at: number) {
                case .current: now?.value(of: row) != nil
                case .absent: false
                case .value, .spilled: true
                }
            }
        }
    }

    private func find(
        _ row: RowID, in table: TableNumber, _ contents: Contents, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        let version = contents.window.version(of: row, in: table, at: number)
        if case .current = version {
            return MemoryBackend.copy(
                contents.records(of: table, at: number)?.value(of: row), into: buffer)
        }
        return try contents.window.copy(version, into: buffer)
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try withContents { contents throws(BackendError) in
            try find(key, in: table, contents, into: buffer)
        }
    }

    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        let buffer = DataBuffer()
        return try withContents { contents throws(BackendError) in
            try run.fill(with: keys) { (key) throws(BackendError) in
                try find(key, in: table, contents, into: buffer) ? buffer : nil
            }
        }
    }

    private func find(
        _ key: UnsafeRawBufferPointer, in table: TableNumber, _ contents: Contents,
        into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        let version = contents.window.version(ofKey: key, in: table, at: number)
        if case .current = version {
            return MemoryBackend.copy(
                contents.entries(of: table, at: number)?.value(for: key), into: buffer)
        }
        return try contents.window.copy(version, into: buffer)
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try withContents { _ in }
        return MemoryRecordCursor { [self] run, start throws(BackendError) in
            try withContents { contents throws(BackendError) in
                try contents.window.fill(
                    run, from: start, in: table, at: number,
                    now: contents.records(of: table, at: number))
            }
        }
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let isOrdered = try withContents { contents in
            contents.window.definition(
                of: table, at: number, now: contents.definition(of: table))?.kind != .named
        }
        return MemoryEntryCursor(range, isDescending: descending, isOrdered: isOrdered) {
            [self] run, stretch throws(BackendError) in
            try withContents { contents throws(BackendError) in
                try contents.window.fill(
                    run, limit: stretch.limit, from: stretch.start, to: stretch.end,
                    descending: descending, in: table, at: number,
                    now: contents.entries(of: table, at: number))
            }
        }
    }
}

extension Contents {
    /// The rows of a table, also of one that was dropped while a reader holds it.
    fileprivate func records(of number: TableNumber, at commit: CommitNumber) -> RecordTable? {
        if let table = table(number) { return table.records }
        return window.content(of: number, at: commit) as? RecordTable
    }

    /// The keys of a table, also of one that was dropped while a reader holds it.
    fileprivate func entries(of number: TableNumber, at commit: CommitNumber) -> OrderedTable? {
        if let table = table(number) { return table.entries }
        return window.content(of: number, at: commit) as? OrderedTable
    }
}
