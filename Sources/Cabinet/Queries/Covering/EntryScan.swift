import CabinetBackend

/// An index whose keys alone say all that a query wants of its objects.
struct EntryScan: ScanOfIndex {
    let span: IndexSpan
    /// How many keys lie in the ranges.
    let count: Int
    /// What is read of each key, from the index's first column on.
    var columns: [EntryColumns.Column]
}

extension RowPlanner {
    /// The index with the fewest keys to look at that give back `wanted`, and what the condition looks
    /// at beyond the ranges; `nil` if none does.
    ///
    /// - Parameter isFit: whether an index will do, with the ranges that it is asked for.
    func entryScan(
        _ condition: Condition, reading wanted: FieldsRead,
        where isFit: (ClassIndex, IndexRanges?) -> Bool = { _, _ in true }
    ) throws -> EntryScan? {
        let limits = condition.conjuncts.map(\.limit)
        var best: EntryScan?
        for index in indexes where !index.index.isMultiple && index.index.subset == nil {
            guard let table = index.table else { continue }
            let ranges = IndexRanges(index, limits)
            guard isFit(index, ranges) else { continue }
            let span = IndexSpan(index, table, ranges, of: limits)
            var read = wanted
            if !span.isExact {
                guard let others = condition.fieldsRead else { continue }
                read.formUnion(others)
            }
            let columns = EntryColumns(index)
            guard columns.give(read), let keys = try count(of: ranges, in: table),
                best.map({ keys < $0.count }) ?? true
            else { continue }
            best = EntryScan(span: span, count: keys, columns: columns.reading(read))
        }
        return best
    }

    private func count(
        of ranges: IndexRanges?, in table: TableNumber
    ) throws(BackendError) -> Int? {
        guard let ranges else {
            return try store.reading { reader throws(BackendError) in
                try reader.count(of: table)
            }
        }
        return try count(of: ranges.ranges, in: table, besideScanOf: .max)
    }
}
