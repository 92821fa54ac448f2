import CabinetBackend

/// An index whose keys come group by group: those with one value of a field stand together.
struct GroupScan {
    let scan: EntryScan
    /// How many columns of a key say of which group it is: all up to that of the field.
    let columns: Int
    /// Whether the keys give the field's values back; otherwise a record of each group does.
    let givesValue: Bool
}

extension RowPlanner {
    /// The index with the fewest keys to look at in which objects with one value of `field` stand
    /// together; `nil` if there is none, or a scan is quicker.
    ///
    /// - Parameter wanted: which other fields are read.
    func groupScan(
        _ condition: Condition, by field: Int, reading wanted: FieldsRead
    ) throws -> GroupScan? {
        let scan = try entryScan(condition, reading: wanted) { index, ranges in
            let columns = EntryColumns(index).columns
            let place = ranges?.equalColumns ?? 0
            guard place < columns.count, columns[place].isExactEqual, !columns[place].hasNaN else {
                return false
            }
            return index.plannedColumns[place]?.field.index == field
        }
        guard let scan else { return nil }
        let all = try store.reading { reader throws(BackendError) in
            try reader.count(of: storedClass.table)
        }
        guard costs.lookUp == 0 || costs.cost(of: scan) < Double(all) else { return nil }
        let columns = EntryColumns(scan.index)
        let givesValue = columns.give(FieldsRead(exactly: [field]))
        var read = wanted
        if givesValue { read.exactly.insert(field) }
        if !scan.isExact, let others = condition.fieldsRead { read.formUnion(others) }
        return GroupScan(
            scan: scan.reading(columns.reading(read)), columns: scan.equalColumns + 1,
            givesValue: givesValue)
    }
}

extension EntryScan {
    /// The same scan, of which other columns are read.
    fileprivate func reading(_ columns: [EntryColumns.Column]) -> EntryScan {
        EntryScan(
            index: index, table: table, ranges: ranges, isExact: isExact, count: count,
            limits: limits, columns: columns, equalColumns: equalColumns)
    }
}

extension EntryColumns.Column {
    /// Whether it has values that equal nothing, each of which is a group of its own.
    fileprivate var hasNaN: Bool {
        switch form {
        case .float, .double, .date: true
        default: false
        }
    }
}
