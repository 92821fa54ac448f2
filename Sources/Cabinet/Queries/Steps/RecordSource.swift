import CabinetBackend

/// Meets all objects of exactly one class: the saved ones in the order of the table, then the inserted ones.
final class RecordSource: MatchSource {
    private let walk: RecordWalk
    @exclusivity(unchecked) private var run: RecordRun?

    init(_ store: Store, _ storedClass: StoredClass, _ filter: Filter) throws(BackendError) {
        let inserted = store.overlay.inserted(of: storedClass)
        walk = try store.records(of: storedClass)
        super.init(store, storedClass, filter, isExact: false, last: inserted)
    }

    override func advance() throws -> Bool {
        while true {
            while let (row, record) = run?.next() {
                if try cursor.take(record, at: row) { return true }
            }
            guard try walk.next() else { return false }
            run = walk.run
        }
    }

    override func end() {
        walk.end()
        if cursor.objectsRead > 0 { storedClass.reads.noteWalk(of: cursor.objectsRead) }
    }
}

extension Store {
    /// Calls `body` with a cursor at each object of exactly the class that `filter` accepts,
    /// saved and pending, in no order, until it returns `false`.
    ///
    /// - Throws: what `body`, the filter and ``records(of:)`` throw; for a record that must be read
    ///   and cannot be, why.
    func scan(
        _ storedClass: StoredClass, _ filter: Filter, _ counts: inout ScanCounts,
        _ body: (RowCursor) throws -> Bool
    ) throws {
        try RecordSource(self, storedClass, filter).use(&counts) { try $0.forEachMatch(body) }
    }

    /// How many objects of exactly the class there are, pending changes counted.
    func countOfAll(_ storedClass: StoredClass) throws -> Int {
        let saved = try reading { reader throws(BackendError) in
            try reader.count(of: storedClass.table)
        }
        return overlay.count(of: storedClass, saved: saved)
    }
}
