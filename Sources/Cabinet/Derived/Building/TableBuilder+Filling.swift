import CabinetBackend

extension TableBuilder {
    /// Where a builder stands between two chunks.
    struct Position {
        /// The commit that the next chunk is based on. No row but ``left`` has changed between the commit
        /// that the records are read of, and this one.
        var basis: CommitNumber
        /// What the catalog says of the tables of the class.
        var entries: DerivedEntries
        /// Rows that saves have changed since: these have entered them.
        var left = RowSet()
        /// Rows that are to be looked at once more.
        var again = RowSet()
    }

    /// Enters all records that are not entered yet, and says that the table is complete.
    func fill(_ table: DerivedTable, _ tables: ClassTables) throws {
        guard let (reader, start) = try begin(table, tables) else { return }
        var position = start
        let filler = table.makeFiller(in: store, limit: upkeep.chunkLimit)
        guard try filler.begin(at: reader, upkeep) else { return }
        let walk = RecordWalk(try reader.records(in: table.storedClass.table))
        defer { walk.end() }
        while try walk.next() {
            try upkeep.checkCancelled()
            var looked = 0
            while let (row, record) = walk.run.next() {
                looked += 1
                if !position.left.contains(row) { try filler.take(record, at: row) }
            }
            upkeep.progress.count(looked)
            guard filler.isFull else { continue }
            guard try commitChunk(of: filler, &position) else { return }
        }
        _ = try commitChunk(of: filler, &position, isLast: true)
    }

    /// Replaces the entries of all records that have changed since programs began to save without the table.
    func catchUp(_ table: DerivedTable, _ tables: ClassTables) throws {
        guard let entry = table.entry, let (reader, start) = try begin(table, tables) else {
            return
        }
        let records = table.storedClass.table
        let changes = try ForeignChanges(
            after: entry.since, upTo: start.basis, except: nil, of: store.backend)
        let changed = changes.tables[records]?.all ?? []
        let total = try reader.count(of: records)
        // To read most of the records one by one takes longer than to read all.
        guard !changes.isUnknown, changed.count <= max(total / 4, 100) else {
            _ = try derived.commitAnew(table, of: tables)
            return
        }
        let filler = table.makeFiller(in: store, limit: upkeep.chunkLimit)
        var position = start
        try filler.renew(changed, at: reader, upkeep)
        upkeep.progress.count(total)
        while try commitChunk(of: filler, &position, isLast: true), !position.again.isEmpty {
            // Only these rows have changed since: what saves do they enter.
            guard let (later, next) = try begin(table, tables) else { return }
            let rows = position.again
            position = next
            try filler.renew(changed.filter(rows.contains), at: later, upkeep)
        }
    }

    /// What records are read of: a commit from which on all saves enter what they change. `nil` if its catalog
    /// says something else of the tables of the class: a chunk that is based on it may put the entries of all
    /// of them.
    private func begin(
        _ table: DerivedTable, _ tables: ClassTables
    ) throws -> (any BackendReader, Position)? {
        var reader: any BackendReader = store.backend
        if store.isIsolated {
            try store.waitForUnawares(upkeep.checkCancelled)
            SchedulePoint.building.pass()
            reader = try store.backend.snapshot(label: "build \(table.fullName)")
        }
        SchedulePoint.building.pass()
        guard try isCurrent(tables.entries, of: table, at: reader) else { return nil }
        return (reader, Position(basis: try reader.lastCommit(), entries: tables.entries))
    }

    /// Whether the reader's catalog says the same of the tables of a class.
    func isCurrent(
        _ entries: DerivedEntries, of table: DerivedTable, at reader: any BackendReader
    ) throws -> Bool {
        if GuardedStep.readerOfBuilder.isLeftOut { return true }
        return try reader.derivedEntries(ofClass: table.storedClass.number) == entries
    }
}
