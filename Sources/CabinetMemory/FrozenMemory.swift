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

    func lastCommit() throws(BackendError) -> CommitNumber {
        try backend.checkOpen()
        return number
    }

    func tables() throws(BackendError) -> [TableDefinition] {
        try backend.withContents { contents in
            var found: [TableDefinition] = []
            let numbers = Set(contents.definitions.map(\.number))
                .union(contents.window.redefinedTables)
            for table in numbers.sorted() {
                let definition = contents.window.definition(
                    of: table, at: number, now: contents.definition(of: table))
                if let definition { found.append(definition) }
            }
            return found
        }
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        try backend.withContents { contents in
            contents.window.count(
                of: table, at: number, now: contents.table(table)?.count ?? 0)
        }
    }

    func count(of range: KeyRange, in table: TableNumber) throws(BackendError) -> Int {
        try backend.withContents { contents in
            contents.window.count(
                in: range, of: table, at: number, now: contents.entries(of: table, at: number))
        }
    }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try backend.withContents { contents in
            MemoryBackend.copy(value(of: row, in: table, contents), into: buffer)
        }
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        run.removeAll()
        return try backend.withContents { contents in
            var looked = 0
            for row in rows {
                if let value = value(of: row, in: table, contents) { run.append(row, value) }
                looked += 1
                if run.isFull { break }
            }
            return looked
        }
    }

    private func value(
        of row: RowID, in table: TableNumber, _ contents: Contents
    ) -> UnsafeRawBufferPointer? {
        switch contents.window.version(of: row, in: table, at: number) {
        case .current: contents.records(of: table, at: number)?.value(of: row)
        case .absent: nil
        case .value(let value): value
        }
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try backend.withContents { contents in
            let value: UnsafeRawBufferPointer? =
                switch contents.window.version(ofKey: key, in: table, at: number) {
                case .current: contents.entries(of: table, at: number)?.value(for: key)
                case .absent: nil
                case .value(let value): value
                }
            return MemoryBackend.copy(value, into: buffer)
        }
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try backend.checkOpen()
        return MemoryRecordCursor { [self] run, start throws(BackendError) in
            try backend.withContents { contents in
                contents.window.fill(
                    run, from: start, in: table, at: number,
                    now: contents.records(of: table, at: number))
            }
        }
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        let isOrdered = try backend.withContents { contents in
            contents.window.definition(
                of: table, at: number, now: contents.definition(of: table))?.kind != .named
        }
        return MemoryEntryCursor(range, isDescending: descending, isOrdered: isOrdered) {
            [self] run, stretch throws(BackendError) in
            try backend.withContents { contents in
                contents.window.fill(
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
