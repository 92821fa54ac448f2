import CabinetBackend

extension IndexBuilder {
    /// Replaces the keys of all records that have changed since programs began to save without the index.
    func catchUp(_ index: ClassIndex, _ indexes: ClassIndexes) throws {
        guard let table = index.table, let entry = index.entry else { return }
        let storedClass = indexes.storedClass
        let reader = try readerForBuilding(index.fullName)
        guard try isCurrent(indexes, at: reader) else { return }
        let last = try reader.lastCommit()
        let changes = try ForeignChanges(
            after: entry.since, upTo: last, except: nil, of: store.backend)
        let changed = changes.tables[storedClass.table]?.all ?? []
        let total = try reader.count(of: storedClass.table)
        // To read most of the records one by one takes longer than to read all.
        guard !changes.isUnknown, changed.count <= max(total / 4, 100) else {
            return try beginAnew(index, indexes)
        }
        var position = Position(basis: last)
        try renewKeys(of: changed, index, table, reader)
        progress.count(total)
        while true {
            let outcome = try commitChunk(index, indexes, &position, isLast: true)
            guard outcome == .committed, !position.again.isEmpty else { return }
            // Only these rows have changed since: what saves do they enter.
            let later = try readerForBuilding(index.fullName)
            let rows = position.again
            position = Position(basis: try later.lastCommit())
            try renewKeys(of: changed.filter(rows.contains), index, table, later)
        }
    }

    /// Has the chunk replace what the index has of `rows` by the keys of their records.
    private func renewKeys(
        of rows: [RowID], _ index: ClassIndex, _ table: TableNumber, _ reader: any BackendReader
    ) throws {
        let storedClass = index.storedClass
        var known = RowSet()
        for row in rows { known.insert(row) }
        chunk.removeAll()
        // First: another row may get a key.
        try addStaleKeys(of: known, table, reader)
        let found = DataBuffer()
        let candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
        for row in rows {
            try checkCancelled()
            guard try reader.value(of: row, in: storedClass.table, into: found) else { continue }
            try found.withUnsafeBytes { record in
                guard try candidate.take(record, at: row) else { return }
                try add(candidate, of: index, isOver: true)
            }
        }
        if index.index.isUnique { try refuseOthersKeys(than: known, index, table, reader) }
    }

    /// Throws if a record outside of `rows` has a key of the chunk.
    private func refuseOthersKeys(
        than rows: RowSet, _ index: ClassIndex, _ table: TableNumber, _ reader: any BackendReader
    ) throws {
        let found = DataBuffer()
        try chunk.forEachKey { kind, row, key in
            guard kind == .putOver, try reader.value(forKey: key, in: table, into: found),
                let owner = found.withUnsafeBytes({ OrderedKey.row(of: $0) }), owner != row,
                !rows.contains(owner)
            else { return }
            throw StoreError.notUnique(
                class: index.storedClass.name, index: index.name, row: row, by: owner)
        }
    }

    /// Has the chunk delete the keys that an index has of `rows`.
    private func addStaleKeys(
        of rows: RowSet, _ table: TableNumber, _ reader: any BackendReader
    ) throws {
        if rows.isEmpty { return }
        let run = EntryRun()
        let cursor = try reader.entries(in: table, range: .everything, descending: false)
        while try cursor.next(run) {
            try checkCancelled()
            while let (key, value) = run.next() {
                guard let row = IndexValue.row(of: key, value), rows.contains(row) else { continue }
                chunk.append(.delete, key, of: row)
            }
        }
    }
}
