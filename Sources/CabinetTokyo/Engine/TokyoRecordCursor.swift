import CabinetBackend

/// A walk over the rows of a table in the order of the file, a run at a time.
///
/// A commit that touches the table may move records. From then on the walk goes by row numbers,
/// over those that it has not met, or where rows are few and far between, over the whole file
/// again; either way each row is met once. A walk of a frozen reader skips what is new to it, takes
/// what was replaced from the window, and at its end adds what was deleted.
final class TokyoRecordCursor: RecordCursor {
    private let backend: TokyoBackend
    private let number: TableNumber
    private let reader: FrozenTokyo?
    @exclusivity(unchecked) private var met = RowSet()
    private var position = Position.file(offset: 0, changes: nil)
    private var isAtEnd = false
    /// Why a value that was replaced could not be read: the walk has lost it.
    private var failure: BackendError?

    private enum Position {
        /// In the file as it was after that many changes.
        case file(offset: UInt64, changes: UInt64?)
        /// Before that row.
        case row(RowID)
        /// Among rows that were replaced or deleted, before that one.
        case replaced(Int)
    }

    init(_ backend: TokyoBackend, _ number: TableNumber, at reader: FrozenTokyo? = nil) {
        self.backend = backend
        self.reader = reader
        self.number = number
    }

    deinit { met.deallocate() }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        run.removeAll()
        try backend.reading(number) { () throws(BackendError) in try self.fill(run) }
        return !run.isEmpty
    }

    /// What is damaged or unavailable is left to ``next(_:)``, which takes the turn to write
    /// and rebuilds it.
    func nextAhead(_ run: RecordRun) throws(BackendError) -> Bool? {
        run.removeAll()
        do throws(BackendError) {
            let outcome = try backend.attempt { () throws(BackendError) in try self.fill(run) }
            if case .damage = outcome, run.isEmpty { return nil }
            return !run.isEmpty
        } catch {
            guard case .viewUnavailable = error else { throw error }
            return nil
        }
    }

    private func fill(_ run: RecordRun) throws(BackendError) -> TokyoBackend.Reading<Void> {
        try reader?.check()
        guard !isAtEnd else { return .done(()) }
        let table = reader.map { $0.table(number) } ?? backend.table(number)
        guard let table, table.kind == .record else {
            isAtEnd = true
            return .done(())
        }
        guard let reader else { return try fill(run, table, nil) }
        let past = backend.window.pastRows(of: number, at: reader.number)
        let outcome = try fill(run, table, past)
        if case .replaced(let start) = position, case .done = outcome {
            addReplaced(to: run, past, from: start)
        }
        if let failure {
            run.removeAll()
            throw failure
        }
        return outcome
    }

    /// Ends the walk over what the table holds now.
    private func endTable() {
        if reader == nil { isAtEnd = true } else { position = .replaced(0) }
    }

    /// Adds rows that had another value than now and were not met.
    private func addReplaced(to run: RecordRun, _ past: PastRows?, from start: Int) {
        var next = start
        while !run.isFull {
            guard let (row, version) = past?.firstReplaced(from: next) else {
                isAtEnd = true
                return
            }
            if met.insert(row) { append(row, version, to: run) }
            next = row.index + 1
        }
        position = .replaced(next)
    }

    /// Adds what a row was if that is not what it is now. `false`: it is.
    @inline(__always)
    private func addPast(_ row: RowID, _ past: PastRows, to run: RecordRun) -> Bool {
        let version = past.version(of: row)
        if case .current = version { return false }
        if met.insert(row) { append(row, version, to: run) }
        return true
    }

    private func append(_ row: RowID, _ version: Version, to run: RecordRun) {
        if case .value(let value) = version { return run.append(row, value) }
        let buffer = DataBuffer()
        do throws(BackendError) {
            guard try backend.window.copy(version, into: buffer) else { return }
            buffer.withUnsafeBytes { run.append(row, $0) }
        } catch {
            failure = error
        }
    }

    private func fill(
        _ run: RecordRun, _ table: Table, _ past: PastRows?
    ) throws(BackendError) -> TokyoBackend.Reading<Void> {
        let file = try table.hash()
        if case .file(_, let changes) = position, changes != table.changes {
            // A dense table is gone on with by row, as every commit would send a walk over the
            // file back to its front.
            let isDense = UInt64(table.highestRow.rawValue) / 8 <= file.count
            position =
                changes == nil || !isDense
                ? .file(offset: file.image.firstRecord, changes: table.changes) : .row(1)
        }
        switch position {
        case .file(let offset, _): return walk(run, table, file, past, from: offset)
        case .row(let row): return look(run, table, file, past, from: row)
        case .replaced: return .done(())
        }
    }

    private func walk(
        _ run: RecordRun, _ table: Table, _ file: HashFile, _ past: PastRows?,
        from start: UInt64
    ) -> TokyoBackend.Reading<Void> {
        let image = file.image
        let (form, values, hidden) = (table.keyForm, table.values, table.hidesMetadata)
        var offset = start
        while offset < image.end, !run.isFull {
            switch image.block(at: offset) {
            case nil:
                position = .file(offset: offset, changes: table.changes)
                return .damage(file.path, offset)
            case .free(let next): offset = next
            case .record(let record):
                let row = Table.row(of: record.key, form)
                let isDone: Void? = row.flatMap { row in
                    values.withEntry(of: record) { _, value in
                        if hidden, row == LegacyMetadata.row { return }
                        if let past, addPast(row, past, to: run) { return }
                        if met.insert(row) { run.append(row, value) }
                    }
                }
                guard isDone != nil else {
                    position = .file(offset: offset, changes: table.changes)
                    return .damage(file.path, offset)
                }
                offset = record.next
            }
        }
        position = .file(offset: offset, changes: table.changes)
        if offset >= image.end { endTable() }
        return .done(())
    }

    private func look(
        _ run: RecordRun, _ table: Table, _ file: HashFile, _ past: PastRows?, from start: RowID
    ) -> TokyoBackend.Reading<Void> {
        let image = file.image
        let last = min(table.highestRow, past?.highest ?? .max)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return .done(()) }
            var row = start
            while row <= last, !run.isFull {
                defer { row = row.next }
                if met.contains(row) || table.hidesMetadata && row == LegacyMetadata.row {
                    continue
                }
                if let past, addPast(row, past, to: run) { continue }
                let key = Table.key(of: row, table.keyForm, in: room)
                switch image.find(key) {
                case .nothing: continue
                case .damage(let offset):
                    position = .row(row)
                    return .damage(file.path, offset)
                case .value(let content):
                    let isDone: Void? = table.values.withValue(of: content, key) {
                        _ = met.insert(row)
                        run.append(row, $0)
                    }
                    guard isDone != nil else {
                        position = .row(row)
                        return .damage(file.path, image.offset(of: content))
                    }
                }
            }
            position = .row(row)
            if row > last { endTable() }
            return .done(())
        }
    }
}
