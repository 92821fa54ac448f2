import CabinetBackend

/// An index whose keys come group by group: those with one value of a field stand together.
struct GroupScan {
    let scan: EntryScan
    /// How many columns of a key say of which group it is: all up to that of the field.
    let columns: Int
    /// What a group of equal keys says of the field's values.
    let grouping: PlannedColumn.Grouping
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
            let place = ranges?.equalColumns ?? 0
            guard place < index.plannedColumns.count, let column = index.plannedColumns[place],
                column.field?.index == field, let grouping = column.grouping
            else { return false }
            // Where parts end must be known, but for the last one, of which a value tells.
            let known = EntryColumns(index).columns.count
            return place < known || place == known && grouping == .valueOfOne
        }
        guard let scan else { return nil }
        let all = try store.reading { reader throws(BackendError) in
            try reader.count(of: storedClass.table)
        }
        guard costs.cost(of: scan) < costs.scan(of: all) else { return nil }
        let columns = EntryColumns(scan.index)
        guard let grouping = scan.index.plannedColumns[scan.equalColumns]?.grouping else {
            return nil
        }
        let asked =
            grouping == .number ? FieldsRead(equally: [field]) : FieldsRead(exactly: [field])
        let givesValue = grouping != .valueOfOne && columns.give(asked)
        var read = wanted
        if givesValue { read.formUnion(asked) }
        if !scan.isExact, let others = condition.fieldsRead { read.formUnion(others) }
        var reading = scan
        reading.columns = columns.reading(read)
        return GroupScan(
            scan: reading, columns: scan.equalColumns + 1, grouping: grouping,
            givesValue: givesValue)
    }
}
