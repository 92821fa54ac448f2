import CabinetBackend

/// Enters many records into one derived table, in chunks: what a ``TableBuilder`` asks a kind for.
///
/// As it stands, it enters them one by one, as a save does that inserts them. A kind whose entries can be
/// written faster has a subclass.
class TableFiller {
    final let store: Store
    final let table: DerivedTable
    /// Stands at the records.
    final let cursor: RowCursor
    private let limit: Int
    private var rows: [RowID] = []
    private var reader: (any BackendReader)?

    /// - Parameter limit: how many records a chunk has at most.
    init(_ table: DerivedTable, in store: Store, limit: Int? = nil) {
        (self.table, self.store) = (table, store)
        self.limit = limit ?? 16_384
        cursor = RowCursor(store, store.fields(of: table.storedClass), ofRecords: true)
    }

    /// Whether it enters records as they were at the commit that it began at, whatever has become of them:
    /// saves enter the difference. Otherwise a chunk requires that its rows are unchanged since.
    var isFree: Bool { table.addsUp }

    /// Whether entries depend on those that are there.
    var readsTable: Bool { true }

    /// The records are read from `reader`. `false` if saves have entered something before that must not be
    /// there: the table is to be begun anew.
    func begin(at reader: any BackendReader, _ upkeep: UpkeepTask) throws -> Bool {
        self.reader = reader
        guard table.addsUp, let number = table.table else { return true }
        return try reader.count(of: number) == 0
    }

    /// Adds a record to the chunk.
    func take(_ record: UnsafeRawBufferPointer, at row: RowID) throws { rows.append(row) }

    /// Adds to an empty chunk what replaces the entries of the records of `rows`, whatever they were: for a
    /// table that catches up (``DerivedKeeper/catchesUp``).
    func renew(_ rows: [RowID], at reader: any BackendReader, _ upkeep: UpkeepTask) throws {}

    /// Whether the chunk is to be committed.
    var isFull: Bool { rows.count >= limit }

    /// Throws if the records of the chunk cannot be entered together.
    func check() throws {}

    /// Adds the chunk to a batch. It may be called again, if others have come before.
    /// - Parameters:
    ///   - records: the table whose rows must be unchanged since the batch's basis; `nil`: none.
    ///   - left: rows that are not entered.
    func write(
        to batch: WriteBatch, guarding records: TableNumber?, except left: RowSet
    ) throws {
        let commit = Commit(store: store, batch: batch, isSave: false)
        (table.takesPart, table.isNew) = (true, false)
        try table.prepare(for: commit)
        let wanted = rows.filter { !left.contains($0) }
        let lookup = RecordLookup(of: table.storedClass)
        lookup.begin(wanted)
        for row in wanted {
            if let records { batch.require(.unchanged, row: row, in: records) }
            guard let reader, let record = try lookup.next(in: reader),
                try cursor.take(record, at: row)
            else { continue }
            try table.enter(row, from: nil, to: cursor, in: commit)
        }
        try table.join(commit)
    }

    /// The chunk was committed, and the next one begins empty; or it was not.
    func didEnd(committed: Bool) {
        table.didEnd(committed: committed)
        if committed { rows.removeAll(keepingCapacity: true) }
    }

    /// Chooses how large the next chunk is, if others have committed meanwhile, or have not.
    func adapt(toOthers haveCommitted: Bool) {}

    /// Saves have changed the entries `keys` of the chunk: their rows are to be left out.
    /// - Returns: whether the chunk may be written again.
    func leaveOut(_ keys: Set<[UInt8]>, _ position: inout TableBuilder.Position) throws -> Bool {
        true
    }
}
