import CabinetBackend

/// A store as it was at one commit, which the reader holds as long as it lives.
///
/// What has not changed since is read from the views as they are now, the rest from the backend's
/// window. `Sendable`, because it never changes.
final class FrozenTokyo: BackendReader {
    let backend: TokyoBackend
    private let hold: Hold
    /// The commit.
    var number: CommitNumber { hold.commit }

    init(_ backend: TokyoBackend, _ hold: Hold) {
        self.backend = backend
        self.hold = hold
    }

    deinit { backend.release(hold) }

    var identity: UInt64 { backend.identity }

    /// Throws once the backend is closed or has given up the commit; under the lock.
    func check() throws(BackendError) {
        try backend.checkOpen()
        try hold.check()
    }

    /// Calls `body` under the lock.
    func locked<Result>(
        _ body: () throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try backend.checkProcess()
        return try backend.lock.reading { () throws(BackendError) in
            try check()
            return try body()
        }
    }

    func lastCommit() throws(BackendError) -> CommitNumber {
        try backend.checkProcess()
        if backend.hasClosed.load(ordering: .acquiring) { throw .closed }
        try hold.check()
        return number
    }

    // MARK: Tables

    func tables() throws(BackendError) -> [TableDefinition] {
        try locked {
            let now = backend.byNumber.compactMap { $0?.definition }
            let numbers = Set(now.map(\.number)).union(backend.window.redefinedTables)
            return numbers.filter { $0 >= .firstFree }.inOrder().compactMap { table in
                backend.window.definition(
                    of: table, at: number, now: backend.table(table)?.definition)
            }
        }
    }

    /// The table if it was there, also if it was dropped since; under the lock. An ordered table
    /// that was dropped is found by ``layers(of:)`` alone.
    func table(_ table: TableNumber) -> Table? {
        let window = backend.window
        let now = backend.table(table)
        guard window.isDefined(table, at: number, now: now != nil) else { return nil }
        return now ?? window.content(of: table, at: number) as? Table
    }

    /// Whether the table was a named one, or may be one of those that are always there.
    func isNamed(_ table: TableNumber) -> Bool {
        self.table(table).map { $0.kind == .named } ?? (table < .firstFree)
    }

    func count(of table: TableNumber) throws(BackendError) -> Int {
        let count = try backend.reading(table) {
            () throws(BackendError) -> TokyoBackend.Reading<Int?> in
            try check()
            if let found = self.table(table), found.kind != .ordered {
                return .done(
                    backend.window.count(of: table, at: number, now: try found.count()))
            }
            return .done(nil)
        }
        if let count { return count }
        return try backend.withResolved(table, at: self) { (layers) throws(BackendError) in
            try layers.count
        } ?? 0
    }

    // MARK: Values

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try backend.reading(table) { () throws(BackendError) in
            try check()
            return try find(row, in: self.table(table), into: buffer)
        }
    }

    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try backend.reading(table) { () throws(BackendError) in
            try check()
            run.removeAll()
            guard let found = self.table(table), found.kind == .record else {
                return .done(rows.count)
            }
            let past = backend.window.pastRows(of: table, at: number)
            let buffer = DataBuffer()
            var lookup: RowLookup?
            var looked = 0
            for place in rows.indices {
                let version = past?.version(of: rows[place]) ?? .current
                if case .current = version {
                    // Without a file, rows that have past versions can be read all the same.
                    if lookup == nil { lookup = RowLookup(rows, in: found, try found.hash()) }
                    if let damage = lookup?.append(place, to: run) { return damage }
                } else if try backend.window.copy(version, into: buffer) {
                    buffer.withUnsafeBytes { run.append(rows[place], $0) }
                }
                looked += 1
                if run.isFull { break }
            }
            return .done(looked)
        }
    }

    func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        try backend.reading(table) { () throws(BackendError) in
            try check()
            var present: [RowID] = []
            guard let found = self.table(table), found.kind == .record else {
                return .done(present)
            }
            let past = backend.window.pastRows(of: table, at: number)
            var lookup: RowLookup?
            for place in rows.indices {
                switch past?.version(of: rows[place]) ?? .current {
                case .absent: continue
                case .value, .spilled: present.append(rows[place])
                case .current:
                    if lookup == nil { lookup = RowLookup(rows, in: found, try found.hash()) }
                    switch lookup?.has(place) {
                    case .done(true): present.append(rows[place])
                    case .damage(let path, let offset): return .damage(path, offset)
                    case .done(false), nil: continue
                    }
                }
            }
            return .done(present)
        }
    }

    /// Looks a row up; under the lock.
    private func find(
        _ row: RowID, in table: Table?, into buffer: DataBuffer
    ) throws(BackendError) -> TokyoBackend.Reading<Bool> {
        guard let table else {
            buffer.removeAll()
            return .done(false)
        }
        let past = backend.window.pastRows(of: table.number, at: number)
        let version = past?.version(of: row) ?? .current
        if case .current = version { return try backend.find(row, in: table, into: buffer) }
        return .done(try backend.window.copy(version, into: buffer))
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try backend.reading(table) { () throws(BackendError) in
            try check()
            return try find(key, in: table, into: buffer)
        }
    }

    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        let buffer = DataBuffer()
        return try backend.reading(table) { () throws(BackendError) in
            try check()
            return try run.fillReading(keys, buffer) { (key) throws(BackendError) in
                try find(key, in: table, into: buffer)
            }
        }
    }

    /// Looks a key up; under the lock.
    private func find(
        _ key: UnsafeRawBufferPointer, in number: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> TokyoBackend.Reading<Bool> {
        buffer.removeAll()
        if let kept = layers(of: number) {
            guard let value = try kept.snapshot.find(key) else { return .done(false) }
            buffer.writeRawBytes(value)
            return .done(true)
        }
        guard let table = table(number), table.kind != .record else { return .done(false) }
        let version = backend.window.version(ofKey: key, in: number, at: self.number)
        if case .current = version { return try backend.find(key, in: table, into: buffer) }
        return .done(try backend.window.copy(version, into: buffer))
    }
}
