import CabinetBackend

/// Which rows of a class have records, for the rows that were asked for.
///
/// A few rows are looked up; when it was asked for many, one pass finds all of them.
/// A row that has a record now may lose it: the caller knows of deletes by the objects.
final class ExistingRows {
    private var rows = RowSet()
    private var lookups = 0
    private var isComplete = false

    /// Looking one row up takes as long as passing so many in a walk.
    private static let walkShare = 6

    func contains(
        _ row: RowID, of storedClass: StoredClass, in reader: any BackendReader
    ) throws(BackendError) -> Bool {
        if rows.contains(row) { return true }
        lookups += 1
        if !isComplete, lookups > (try reader.count(of: storedClass.table)) / Self.walkShare {
            try walk(storedClass, reader)
            if rows.contains(row) { return true }
        }
        // Another store may have added it since.
        return try missing(among: [row], of: storedClass, in: reader).isEmpty
    }

    /// Those of `wanted` that have no record.
    func missing(
        among wanted: [RowID], of storedClass: StoredClass, in reader: any BackendReader
    ) throws(BackendError) -> [RowID] {
        let unknown = wanted.filter { !rows.contains($0) }
        for row in try reader.presentRows(among: unknown[...], in: storedClass.table) {
            rows.insert(row)
        }
        return unknown.filter { !rows.contains($0) }
    }

    func forget(_ row: RowID) { rows.remove(row) }

    private func walk(
        _ storedClass: StoredClass, _ reader: any BackendReader
    ) throws(BackendError) {
        let run = RecordRun()
        let cursor = try reader.records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, _) = run.next() { rows.insert(row) }
        }
        isComplete = true
    }
}

/// The rows that a store has looked for, by class number.
final class ExistingRowsCache {
    /// A later commit, to which the store is about to move: its rows count, too.
    var ahead: (any BackendReader)?
    private var found = [ExistingRows?](repeating: nil, count: 256)

    func rows(of storedClass: StoredClass) -> ExistingRows {
        if let known = found[Int(storedClass.number)] { return known }
        let new = ExistingRows()
        found[Int(storedClass.number)] = new
        return new
    }

    /// Takes note of what others have deleted. What they have added is looked up when it is asked for.
    func note(_ changes: ForeignChanges, _ classes: [StoredClass]) {
        for storedClass in classes {
            guard let known = found[Int(storedClass.number)],
                let rows = changes.tables[storedClass.table]
            else { continue }
            for row in rows.all where rows.hasDeleted(row) { known.forget(row) }
        }
    }
}

extension Store {
    /// Whether there is a record of a row as of what the store reads; `true` if that cannot be told.
    func isRowThere(_ row: RowID, of storedClass: StoredClass) -> Bool {
        guard isIsolated else {
            // Others may have deleted it since.
            return (try? hasSavedRecord(row, of: storedClass)) ?? true
        }
        let cache = annex(ExistingRowsCache.self) { _ in ExistingRowsCache() }
        do {
            let known = cache.rows(of: storedClass)
            let isThere = try reading { reader throws(BackendError) in
                try known.contains(row, of: storedClass, in: reader)
            }
            if isThere { return true }
            guard let ahead = cache.ahead else {
                // Asked for once: what others save, or this store brings back, makes it known again.
                storedClass.goneRows.insert(row)
                return false
            }
            return try !ahead.presentRows(among: [row], in: storedClass.table).isEmpty
        } catch {
            // Reading the object says why.
            return true
        }
    }

    /// Looks up many rows for ``isRowThere(_:of:)``. Of objects with their content, memory tells.
    func lookForRows(_ rows: [RowID], of storedClass: StoredClass) {
        let cache = annex(ExistingRowsCache.self) { _ in ExistingRowsCache() }
        let rows = rows.filter { row in
            storedClass.existing(row).map { $0.state.intersection([.fault, .deleted]) == .fault }
                ?? true
        }
        // After an error each row is looked up by itself, and reading the object says why.
        let known = cache.rows(of: storedClass)
        guard isIsolated, cache.ahead == nil,
            let missing = try? reading({ reader throws(BackendError) in
                try known.missing(among: rows, of: storedClass, in: reader)
            })
        else { return }
        for row in missing { storedClass.goneRows.insert(row) }
    }
}
