import CabinetBackend

/// Meets the objects of rows, whose records are looked up many at a time, in the order of the rows.
///
/// A subclass names the rows, those of pending objects among them: these are asked themselves.
class RowSource: MatchSource {
    final let memory: SeekMemory
    /// The rows of all objects of the class with pending changes: what an index has of them does not count.
    final let pendingRows: Set<RowID>
    @exclusivity(unchecked) private final var left: ArraySlice<RowID> = []

    init(
        _ store: Store, _ storedClass: StoredClass, _ filter: Filter, isExact: Bool,
        pendingRows: Set<RowID>
    ) {
        self.pendingRows = pendingRows
        memory = store.takeSeekMemory()
        super.init(store, storedClass, filter, isExact: isExact)
    }

    /// The next rows; `nil` at the end.
    func moreRows() throws -> ArraySlice<RowID>? { nil }

    override final func advance() throws -> Bool {
        let records = memory.records
        while true {
            while let (row, record) = records.next() {
                if try cursor.take(record, at: row) { return true }
            }
            while left.isEmpty {
                guard let more = try moreRows() else { return false }
                left = more
            }
            var rows = left
            if !pendingRows.isEmpty {
                if let row = left.first, pendingRows.contains(row) {
                    left.removeFirst()
                    guard let object = pending(row) else { continue }
                    cursor.take(object)
                    return true
                }
                rows = left.prefix { !pendingRows.contains($0) }
            }
            let found = try store.reading { reader throws(BackendError) in
                try reader.values(of: rows, in: storedClass.table, into: records)
            }
            left = left.dropFirst(found)
        }
    }

    private final func pending(_ row: RowID) -> StoredObject? {
        guard let object = storedClass.existing(row), object.state.isPending,
            !object.state.contains(.deleted), !store.isGoneElsewhere(object, storedClass)
        else { return nil }
        return object
    }

    override final var exactRows: RowSource? { isExact ? self : nil }

    /// The next rows of matches, if the source is exact, without reading records; `nil` at the end.
    final func nextRows() throws -> ArraySlice<RowID>? {
        guard let rows = try moreRows() else { return nil }
        guard !pendingRows.isEmpty else {
            count(rows.count)
            return rows
        }
        var matches: [RowID] = []
        for row in rows {
            if pendingRows.contains(row) {
                guard let object = pending(row), try asks(object) else { continue }
            } else {
                count(1)
            }
            matches.append(row)
        }
        return matches[...]
    }

    override final func end() {
        left = []
        store.giveBack(memory)
        if cursor.objectsRead > 0 { storedClass.reads.notePrefetch(of: cursor.objectsRead) }
    }
}

/// Meets the objects of the rows that a plan names, in ascending order of the rows.
final class PlannedSource: RowSource {
    /// `nil` once its rows were read.
    private var plan: RowPlan?
    private let pending: [StoredObject]

    init(_ store: Store, _ storedClass: StoredClass, _ filter: Filter, _ plan: RowPlan) {
        self.plan = plan
        let pendingRows: Set<RowID>
        (pending, pendingRows) = store.pending(of: storedClass)
        super.init(
            store, storedClass, filter, isExact: plan.isExact, pendingRows: pendingRows)
    }

    override func moreRows() throws -> ArraySlice<RowID>? {
        guard let plan else { return nil }
        self.plan = nil
        try store.readRows(of: plan, into: &memory.rows, memory)
        if !pendingRows.isEmpty {
            memory.rows.removeAll { pendingRows.contains($0) }
            for object in pending { memory.rows.append(object.rowID) }
            memory.rows.sort()
        }
        return memory.rows[...]
    }
}

extension Store {
    /// What an index does not know of `storedClass`: the objects with pending changes that a query can give,
    /// and the rows of all that are pending, of which what the index has does not count. Objects that are
    /// deleted, here or by other stores, are not given.
    func pending(of storedClass: StoredClass) -> (objects: [StoredObject], rows: Set<RowID>) {
        guard overlay.hasPending else { return ([], []) }
        var objects: [StoredObject] = []
        var rows: Set<RowID> = []
        overlay.forEachPending { object in
            guard object.storedClass === storedClass else { return }
            rows.insert(object.rowID)
            if object.state.contains(.deleted) || isGoneElsewhere(object, storedClass) { return }
            objects.append(object)
        }
        return (objects, rows)
    }
}
