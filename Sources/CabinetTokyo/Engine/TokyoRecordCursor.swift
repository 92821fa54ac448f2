import CabinetBackend

/// A walk over the rows of a table in the order of the file, a run at a time.
///
/// A commit that touches the table may move records. From then on the walk goes by row numbers,
/// over those that it has not met, or where rows are few and far between, over the whole file
/// again; either way each row is met once.
final class TokyoRecordCursor: RecordCursor {
    private let backend: TokyoBackend
    private let number: TableNumber
    @exclusivity(unchecked) private var met = RowSet()
    private var position = Position.file(offset: 0, changes: nil)
    private var isAtEnd = false

    private enum Position {
        /// In the file as it was after that many changes.
        case file(offset: UInt64, changes: UInt64?)
        /// Before that row.
        case row(RowID)
    }

    init(_ backend: TokyoBackend, _ number: TableNumber) {
        self.backend = backend
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
        guard !isAtEnd else { return .done(()) }
        guard let table = backend.table(number), table.kind == .record else {
            isAtEnd = true
            return .done(())
        }
        return try fill(run, table)
    }

    private func fill(
        _ run: RecordRun, _ table: Table
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
        case .file(let offset, _): return walk(run, table, file, from: offset)
        case .row(let row): return look(run, table, file, from: row)
        }
    }

    private func walk(
        _ run: RecordRun, _ table: Table, _ file: HashFile, from start: UInt64
    ) -> TokyoBackend.Reading<Void> {
        let image = file.image
        let (form, checksums, hidden) = (table.keyForm, table.checksums, table.hidesMetadata)
        var offset = start
        defer { position = .file(offset: offset, changes: table.changes) }
        while offset < image.end, !run.isFull {
            switch image.block(at: offset) {
            case nil: return .damage(file.path, offset)
            case .free(let next): offset = next
            case .record(let record):
                guard let row = Table.row(of: record.key, form),
                    !checksums || Checksum.isRight(record)
                else { return .damage(file.path, offset) }
                offset = record.next
                if hidden, row == LegacyMetadata.row { continue }
                if met.insert(row) {
                    run.append(row, checksums ? Checksum.value(of: record.value) : record.value)
                }
            }
        }
        if offset >= image.end { isAtEnd = true }
        return .done(())
    }

    private func look(
        _ run: RecordRun, _ table: Table, _ file: HashFile, from start: RowID
    ) -> TokyoBackend.Reading<Void> {
        let image = file.image
        let last = table.highestRow
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return .done(()) }
            var row = start
            while row <= last, !run.isFull {
                defer { row = row.next }
                if met.contains(row) || table.hidesMetadata && row == LegacyMetadata.row {
                    continue
                }
                let key = Table.key(of: row, table.keyForm, in: room)
                switch image.find(key) {
                case .nothing: continue
                case .damage(let offset):
                    position = .row(row)
                    return .damage(file.path, offset)
                case .value(let stored):
                    guard !table.checksums || Checksum.isRight(key, stored) else {
                        position = .row(row)
                        return .damage(file.path, image.offset(of: stored))
                    }
                    _ = met.insert(row)
                    run.append(row, table.checksums ? Checksum.value(of: stored) : stored)
                }
            }
            position = .row(row)
            if row > last { isAtEnd = true }
            return .done(())
        }
    }
}
