import CabinetBackend

extension TokyoBackend {
    public func count(of table: TableNumber) throws(BackendError) -> Int {
        let count = try reading(table) { () throws(BackendError) -> Reading<Int?> in
            guard let table = self.table(table) else { return .done(0) }
            return try Self.catchingDamage { () throws(BackendError) in
                .done(table.isResolved ? try table.count() : nil)
            }
        }
        if let count { return count }
        return try withResolved(table) { (layers) throws(BackendError) in
            try layers.count
        } ?? 0
    }

    public func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try reading(table) { () throws(BackendError) in try find(row, in: table, into: buffer) }
    }

    /// Looks a row up; under the lock.
    @inline(__always)
    func find(
        _ row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Reading<Bool> {
        try find(row, in: self.table(table), into: buffer)
    }

    /// Looks a row up; under the lock.
    @inline(__always)
    func find(
        _ row: RowID, in table: Table?, into buffer: DataBuffer
    ) throws(BackendError) -> Reading<Bool> {
        buffer.removeAll()
        guard let table, table.kind == .record,
            !(table.hidesMetadata && row == LegacyMetadata.row)
        else { return .done(false) }
        let file = try table.hash()
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return .done(false) }
            let key = Table.key(of: row, table.keyForm, in: room)
            return Self.copy(file.image.find(key), key, table, file, into: buffer)
        }
    }

    public func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try reading(table) { () throws(BackendError) in try find(key, in: table, into: buffer) }
    }

    /// Looks a key up; under the lock.
    func find(
        _ key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Reading<Bool> {
        try find(key, in: self.table(table), into: buffer)
    }

    /// Looks a key up; under the lock.
    func find(
        _ key: UnsafeRawBufferPointer, in table: Table?, into buffer: DataBuffer
    ) throws(BackendError) -> Reading<Bool> {
        buffer.removeAll()
        guard let table, table.kind != .record else { return .done(false) }
        guard table.kind == .ordered else {
            let file = try table.hash()
            return table.values.withFileKey(of: key) {
                Self.copy(file.image.find($0), $0, table, file, into: buffer)
            }
        }
        let view = try table.ordered()
        return try Self.catchingDamage { () throws(BackendError) in
            guard let value = try view.find(key) else { return .done(false) }
            Self.copy(value, into: buffer)
            return .done(true)
        }
    }

    // MARK: Healing

    /// What an attempt to read has come to.
    enum Reading<Result> {
        case done(Result)
        /// What was met cannot be right.
        case damage(String, UInt64)
    }

    /// Reads under the lock. Where the view is damaged or unavailable, it is rebuilt from the log,
    /// once.
    func reading<Result>(
        _ table: TableNumber, _ body: () throws(BackendError) -> Reading<Result>
    ) throws(BackendError) -> Result {
        for isSecond in [false, true] {
            let outcome: Reading<Result>
            do throws(BackendError) {
                outcome = try attempt(body)
            } catch {
                guard case .viewUnavailable = error, !isSecond else { throw error }
                try restore(table)
                continue
            }
            switch outcome {
            case .done(let result): return result
            case .damage(let path, let offset):
                guard !isSecond else { throw .corrupt(path: path, offset: offset) }
                log(.warning, "\(path) is damaged at byte \(offset); making it anew.")
                try rebuild(table, path: path, offset: offset)
            }
        }
        throw .closed
    }

    /// Reads under the lock.
    @inline(__always)
    func attempt<Result>(
        _ body: () throws(BackendError) -> Reading<Result>
    ) throws(BackendError) -> Reading<Result> {
        try checkProcess()
        return try lock.reading { () throws(BackendError) in
            try checkOpen()
            return try body()
        }
    }

    private static func copy(
        _ finding: HashImage.Finding, _ key: UnsafeRawBufferPointer, _ table: Table,
        _ file: HashFile, into buffer: DataBuffer
    ) -> Reading<Bool> {
        switch finding {
        case .nothing: return .done(false)
        case .damage(let offset): return .damage(file.path, offset)
        case .value(let content):
            let isDone: Void? = table.values.withValue(of: content, key) { copy($0, into: buffer) }
            return isDone == nil
                ? .damage(file.path, file.image.offset(of: content)) : .done(true)
        }
    }

    @inline(__always)
    private static func copy(_ value: UnsafeRawBufferPointer, into buffer: DataBuffer) {
        buffer.replaceContent(capacity: value.count) { room in
            if let source = value.baseAddress {
                room.copyMemory(from: source, byteCount: value.count)
            }
            return value.count
        }
    }

    /// Stands for a caller that takes the turn for a moment.
    private final class Healer {}

    /// Rebuilds the view of a table while there are no reads.
    func rebuild(_ number: TableNumber, path: String, offset: UInt64) throws(BackendError) {
        let owner = Healer()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        try lock.writing { () throws(BackendError) in
            try checkOpen()
            if isLegacy { throw .corrupt(path: path, offset: offset) }
            try rebuildUnderLock(number)
        }
    }

    /// Rebuilds the view of a table, for the thread that has the writer's turn.
    func rebuildWithTurn(_ number: TableNumber) throws(BackendError) {
        try lock.writing { () throws(BackendError) in
            // Of a directory of 2010, the files themselves are the truth.
            if !isLegacy { try rebuildUnderLock(number) }
        }
    }

    private func rebuildUnderLock(_ number: TableNumber) throws(BackendError) {
        guard let table = table(number) else { return }
        try prepareToRebuild()
        try rebuild([table])
        noteDamaged(number)
    }

    /// Rebuilds views from the log; with the turn and the lock.
    ///
    /// - Parameter last: the last commit that they are to show; `nil`: the log's last one.
    func rebuild(
        _ tables: [Table], upTo last: CommitNumber? = nil
    ) throws(BackendError) {
        let jobs = tables.map { table in
            ViewBuilder.Job(table: table, count: UInt64(table.estimate))
        }
        // The library opens a name once in a process, and the old file may be open under the name
        // that the new file gets.
        for table in tables {
            table.view = .unavailable(
                path: paths.view(of: table.definition), cause: "it is being made anew")
        }
        do {
            if isFollower {
                try DirectoryChanges(files: files, paths: commitLog.paths)
                    .repeating { () throws(BackendError) in try run(jobs, upTo: last) }
            } else {
                try run(jobs, upTo: last)
            }
        } catch {
            for table in tables {
                table.view = .unavailable(
                    path: paths.view(of: table.definition), cause: "\(error)")
            }
            throw error
        }
    }

    private func run(
        _ jobs: [ViewBuilder.Job], upTo last: CommitNumber?
    ) throws(BackendError) {
        let last = last ?? commitLog.lastCommit
        let source = try LogSource(commitLog)
        // Of a log that another process compacts, what a follower has not read may be gone.
        guard source.snapshotCommit <= last else {
            throw .viewUnavailable(path: paths.root, cause: "its log was compacted; refresh it")
        }
        try ViewBuilder(files, paths, commitLog, temporary).run(jobs, from: source, upTo: last)
    }

    func newSession() throws(BackendError) -> SessionRecord {
        SessionRecord(
            mount: try files.mountIdentity(of: paths.root), process: Opening.processNumber,
            durability: durability)
    }

    /// The tables as the heads of segments list them: those that are always there among them,
    /// also before anything is in them.
    var tableStates: [TableState] {
        TableDefinition.builtIn.filter { table($0.number) == nil }
            .map { TableState(definition: $0) } + byNumber.compactMap { $0?.state }
    }
}
