import CabinetBackend

extension IndexBuilder {
    /// Where a builder stands between two chunks.
    struct Position {
        /// The commit that the next chunk is based on. No row but ``left`` has changed between the commit
        /// that the records are read of, and this one.
        var basis: CommitNumber
        /// Rows that saves have changed since: these have entered their keys.
        var left = RowSet()
        /// Rows that are to be looked at once more.
        var again = RowSet()
    }

    /// What has become of a chunk.
    enum Outcome {
        case committed
        /// Others have changed the entries of the class, or too much has changed since.
        case outdated
    }

    /// Enters the keys of all records that have none yet, and says that the index is complete.
    func fill(_ index: ClassIndex, _ indexes: ClassIndexes) throws {
        guard let table = index.table else { return }
        let storedClass = indexes.storedClass
        let reader = try readerForBuilding(index.fullName)
        guard try isCurrent(indexes, at: reader) else { return }
        let known = try rowsWithKeys(of: table, reader)
        var position = Position(basis: try reader.lastCommit())
        let candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
        chunk.removeAll()
        let walk = RecordWalk(try reader.records(in: storedClass.table))
        defer { walk.end() }
        while try walk.next() {
            try checkCancelled()
            var looked = 0
            while let (row, record) = walk.run.next() {
                looked += 1
                if known.contains(row) || position.left.contains(row) { continue }
                if try candidate.take(record, at: row) { try add(candidate, of: index) }
            }
            progress.count(looked)
            guard chunk.isFull else { continue }
            guard try commitChunk(index, indexes, &position) == .committed else { return }
        }
        try finish(index, indexes, &position)
    }

    /// Commits what is left, and that the index is complete, unless some rows must be looked at again.
    func finish(
        _ index: ClassIndex, _ indexes: ClassIndexes, _ position: inout Position
    ) throws {
        guard position.again.isEmpty else {
            _ = try commitChunk(index, indexes, &position)
            return
        }
        _ = try commitChunk(index, indexes, &position, isLast: true)
    }

    /// What records are read of: a commit from which on all saves enter what they change.
    func readerForBuilding(_ name: String) throws -> any BackendReader {
        guard store.isIsolated else { return store.backend }
        try store.waitForUnawares(checkCancelled)
        SchedulePoint.building.pass()
        return try store.backend.snapshot(label: "index \(name)")
    }

    /// Whether the reader's catalog says the same of the indexes of a class: a chunk that is based on the
    /// reader's commit puts the entries of all of them.
    func isCurrent(_ indexes: ClassIndexes, at reader: any BackendReader) throws -> Bool {
        SchedulePoint.building.pass()
        if GuardedStep.readerOfBuilder.isLeftOut { return true }
        return try reader.derivedEntries(ofClass: indexes.storedClass.number)
            == indexes.tables.entries
    }

    /// The rows that have keys in an index.
    private func rowsWithKeys(
        of table: TableNumber, _ reader: any BackendReader
    ) throws -> RowSet {
        var rows = RowSet()
        if try reader.count(of: table) == 0 { return rows }
        let run = EntryRun()
        let cursor = try reader.entries(in: table, range: .everything, descending: false)
        while try cursor.next(run) {
            try checkCancelled()
            while let (key, value) = run.next() {
                if let row = IndexValue.row(of: key, value) { rows.insert(row) }
            }
        }
        return rows
    }

    /// Adds the keys of a record to the chunk.
    /// - Parameter isOver: whether other records may have had them.
    @inline(__always)
    func add(_ candidate: Candidate, of index: ClassIndex, isOver: Bool = false) throws {
        if index.index.isMultiple {
            try keys.makeSeveral(of: index, candidate)
            for key in keys.several {
                key.withUnsafeBytes { chunk.append(.put, $0, of: candidate.row) }
            }
            return
        }
        try keys.withKey(of: index, candidate) { key in
            guard let key else { return }
            if key.isAlone, key.isCut {
                throw StoreError.keyTooLong(
                    class: index.storedClass.name, index: index.name, row: candidate.row)
            }
            let kind: KeyChunk.Kind = !key.isAlone ? .put : isOver ? .putOver : .putAlone
            chunk.append(kind, key.bytes, of: candidate.row)
        }
    }
}
