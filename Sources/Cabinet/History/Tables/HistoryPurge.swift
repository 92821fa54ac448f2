import CabinetBackend

/// Takes what commits have replaced out of the tables of history, and the steps of undo that are about it.
///
/// All that the feed has is moved there first. What other threads move meanwhile conflicts, and is done again.
struct HistoryPurge {
    private let backend: any Backend

    private static let attempts = 100

    init(_ backend: any Backend) { self.backend = backend }

    /// History has nothing of what stood in a row, as if nothing had stood there, nor has a step of undo.
    /// - Returns: a commit as of which that is so.
    func purge(_ place: RowPlace) throws -> CommitNumber {
        try commit { reader, tables, batch in
            for commit in try tables?.commits(of: place, after: .none) ?? [] {
                guard let table = tables?.holder(of: commit) else { continue }
                try batch.put(
                    HistoryValue.absent,
                    under: HistoryKey.commit(commit) + HistoryKey.place(place.table, place.row),
                    in: table.entries)
                // Nor what would tell a guess of it from others.
                try batch.put(
                    [], under: HistoryKey.place(place.table, place.row) + HistoryKey.commit(commit),
                    in: table.rows)
            }
            let definition = try reader.tables().first { $0.number == place.table }
            guard let definition, definition.kind == .record else { return }
            try KeptSteps.forget(place.row, ofClass: definition.classNumber, reader, batch)
        }
    }

    /// History begins after a commit: it has nothing of what that and earlier ones have replaced.
    /// - Returns: a commit as of which that is so.
    func purge(upTo number: CommitNumber) throws -> CommitNumber {
        try commit { reader, tables, batch in
            guard let tables else { return }
            for (table, entries, rows) in tables.all where table.after < number {
                // The last table stays, to say where history begins.
                if table.last <= number, table.last < tables.last {
                    for number in [entries, rows] { try batch.drop(number) }
                    try table.key.withUnsafeBytes { try batch.deleteKey($0, in: .catalog) }
                    continue
                }
                let end = min(number, table.last)
                var left = HistoryTable(table.number, after: end)
                (left.last, left.line, left.time) = (table.last, table.line, table.time)
                let removed =
                    try remove(from: entries, reader, batch) {
                        HistoryKey.read($0).map { $0.commit <= end } ?? false
                    }
                    + remove(from: rows, reader, batch) {
                        HistoryKey.lastCommit($0).map { $0 <= end } ?? false
                    }
                left.size = table.size - min(removed, table.size)
                try batch.put(left.value, under: left.key, in: .catalog)
            }
        }
    }

    private func remove(
        from table: TableNumber, _ reader: any BackendReader, _ batch: WriteBatch,
        where isOld: (UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> UInt64 {
        let cursor = try reader.entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        var removed: UInt64 = 0
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                guard isOld(key) else { continue }
                try batch.deleteKey(key, in: table)
                removed += UInt64(key.count + value.count)
            }
        }
        return removed
    }

    private func commit(
        _ change: (any BackendReader, HistoryTables?, WriteBatch) throws -> Void
    ) throws -> CommitNumber {
        for _ in 0..<Self.attempts {
            do {
                try backend.refreshBesideOthers()
                try HistoryMove(backend).moveAll()
                let reader = try backend.snapshot(label: "purge")
                let batch = backend.makeBatch()
                do {
                    batch.basis = try reader.lastCommit()
                    try change(reader, HistoryTables(reader, backend.lines()), batch)
                    // What moves more of the feed meanwhile conflicts.
                    if let kept = try reader.keptChanges(for: HistoryPart.name) {
                        try batch.keepChanges(kept)
                    }
                } catch {
                    backend.discard(batch)
                    throw error
                }
                return try backend.commit(batch)
            } catch BackendError.conflict {}
        }
        throw BackendError.conflict([])
    }
}
