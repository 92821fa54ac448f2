import CabinetBackend

/// Which rows of a class have records, for the rows that were asked for.
///
/// A few rows are looked up one by one; when it was asked for many, one pass finds all of them.
/// A row that has a record now may lose it: the caller knows of deletes by the objects.
final class ExistingRows {
    private var rows = RowSet()
    private var lookups = 0
    private var isComplete = false

    /// Looking one row up takes as long as passing so many in a walk.
    private static let walkShare = 6

    func contains(_ row: RowID, of storedClass: StoredClass, in reader: any BackendReader) throws
        -> Bool
    {
        if rows.contains(row) { return true }
        lookups += 1
        if !isComplete, lookups > (try reader.count(of: storedClass.table)) / Self.walkShare {
            try walk(storedClass, reader)
            if rows.contains(row) { return true }
        }
        // Another store may have added it since.
        guard try reader.value(of: row, in: storedClass.table, into: DataBuffer()) else {
            return false
        }
        rows.insert(row)
        return true
    }

    private func walk(_ storedClass: StoredClass, _ reader: any BackendReader) throws {
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
    private var found: [UInt8: ExistingRows] = [:]

    func rows(of storedClass: StoredClass) -> ExistingRows {
        if let known = found[storedClass.number] { return known }
        let new = ExistingRows()
        found[storedClass.number] = new
        return new
    }
}
