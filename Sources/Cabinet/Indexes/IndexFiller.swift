import CabinetBackend

/// Enters the keys of many records into an index: chunks of keys.
///
/// What saves enter, and what a builder that was stopped has entered, it passes over.
final class IndexFiller: TableFiller {
    private let index: ClassIndex
    private let keys = IndexKeys()
    private let chunk: KeyChunk
    /// The rows that have keys in the index.
    private var known = RowSet()

    init(_ index: ClassIndex, in store: Store, limit: Int?) {
        self.index = index
        chunk = KeyChunk(limit: limit ?? KeyChunk.countLimit)
        super.init(index, in: store)
    }

    override var readsTable: Bool { false }
    override var isFull: Bool { chunk.isFull }

    override func begin(at reader: any BackendReader, _ upkeep: UpkeepTask) throws -> Bool {
        try forEachKey(at: reader, upkeep) { row, _ in known.insert(row) }
        return true
    }

    /// Calls `body` with each key that the index has.
    private func forEachKey(
        at reader: any BackendReader, _ upkeep: UpkeepTask,
        _ body: (RowID, UnsafeRawBufferPointer) -> Void
    ) throws {
        guard let number = table.table, try reader.count(of: number) > 0 else { return }
        let run = EntryRun()
        let cursor = try reader.entries(in: number, range: .everything, descending: false)
        while try cursor.next(run) {
            try upkeep.checkCancelled()
            while let (key, value) = run.next() {
                if let row = IndexValue.row(of: key, value) { body(row, key) }
            }
        }
    }

    override func take(_ record: UnsafeRawBufferPointer, at row: RowID) throws {
        if !known.contains(row) { try add(record, at: row, .putAlone) }
    }

    /// Adds the keys of a record to the chunk.
    /// - Parameter alone: how a key gets there that no other row may have.
    @inline(__always)
    private func add(
        _ record: UnsafeRawBufferPointer, at row: RowID, _ alone: KeyChunk.Kind
    ) throws {
        guard try cursor.take(record, at: row) else { return }
        try keys.forEachKey(of: index, cursor) { key in
            if key.isAlone, key.isCut {
                throw StoreError.keyTooLong(
                    class: index.storedClass.name, index: index.name, row: row)
            }
            chunk.append(key.isAlone ? alone : .put, key.bytes, of: row)
        }
    }

    override func check() throws {
        guard index.index.isUnique, let (row, other) = chunk.duplicate() else { return }
        throw notUnique(row, by: other)
    }

    private func notUnique(_ row: RowID, by other: RowID) -> StoreError {
        .notUnique(class: index.storedClass.name, index: index.name, row: row, by: other)
    }

    override func write(
        to batch: WriteBatch, guarding records: TableNumber?, except left: RowSet
    ) throws {
        guard let number = table.table else { throw table.leftOut }
        try chunk.write(to: batch, number, rowsOf: records, except: left)
    }

    override func didEnd(committed: Bool) { if committed { chunk.removeAll() } }

    override func adapt(toOthers haveCommitted: Bool) { chunk.adapt(toOthers: haveCommitted) }

    override func leaveOut(
        _ conflicting: Set<[UInt8]>, _ position: inout TableBuilder.Position
    ) throws -> Bool {
        try chunk.forEachKey { kind, row, key in
            let bytes = [UInt8](key)
            guard conflicting.contains(bytes), !position.left.contains(row) else { return }
            if kind == .putAlone, table.entry?.state != .catchingUp, let number = table.table,
                let owner = try store.backend.row(withKey: bytes, in: number), owner != row
            {
                throw notUnique(row, by: owner)
            }
            position.left.insert(row)
            position.again.insert(row)
        }
        return true
    }

    // MARK: Catching up

    override func renew(
        _ rows: [RowID], at reader: any BackendReader, _ upkeep: UpkeepTask
    ) throws {
        var renewed = RowSet()
        for row in rows { renewed.insert(row) }
        chunk.removeAll()
        if rows.isEmpty { return }
        // First: another row may get a key.
        try forEachKey(at: reader, upkeep) { row, key in
            if renewed.contains(row) { chunk.append(.delete, key, of: row) }
        }
        let lookup = RecordLookup(of: index.storedClass)
        lookup.begin(rows)
        for row in rows {
            try upkeep.checkCancelled()
            if let record = try lookup.next(in: reader) { try add(record, at: row, .putOver) }
        }
        guard index.index.isUnique, let number = table.table else { return }
        try chunk.forEachKey { kind, row, key in
            guard kind == .putOver,
                let owner = try reader.row(withKey: [UInt8](key), in: number), owner != row,
                !renewed.contains(owner)
            else { return }
            throw notUnique(row, by: owner)
        }
    }
}
