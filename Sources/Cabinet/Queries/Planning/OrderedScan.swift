import CabinetBackend

/// An index whose order is that of a query.
struct OrderedScan {
    let index: ClassIndex
    let table: TableNumber
    /// In the order of keys.
    let ranges: [KeyRange]
    let isDescending: Bool
    /// Whether all objects of those keys meet the condition, and no other saved ones.
    let isExact: Bool
    /// What the ranges follow from; none for all keys.
    let limits: [FieldLimit]
    /// How many columns each have one value in all of the ranges: that of their limit.
    let equalColumns: Int
}

extension Store {
    /// The index that gives the objects of `storedClass` in the order of `sorting`: the one whose ranges
    /// the condition leaves least of, exact ones first.
    func orderedScan(
        _ condition: Condition, _ sorting: [FieldOrder], _ storedClass: StoredClass
    ) throws -> OrderedScan? {
        guard let indexes = try queryIndexes(of: storedClass) else { return nil }
        let limits = condition.conjuncts.map(\.limit)
        let hasLimits = limits.contains { $0 != nil }
        var best: OrderedScan?
        var bestUsed = -1
        for index in indexes.all
        where index.isComplete && !index.index.isMultiple && index.index.subset == nil {
            guard let table = index.table, index.mayOrder(sorting) else { continue }
            let ranges = hasLimits ? IndexRanges(index, limits) : nil
            guard
                let isDescending = index.isDescending(
                    for: sorting, behind: ranges?.equalColumns ?? 0)
            else { continue }
            let used = ranges?.used.count ?? 0
            let isExact = (ranges?.isExact ?? true) && used == limits.count
            if let best, best.isExact || !isExact && used <= bestUsed { continue }
            bestUsed = used
            best = OrderedScan(
                index: index, table: table, ranges: ranges?.ranges ?? [.everything],
                isDescending: isDescending, isExact: isExact, limits: ranges?.taken ?? [],
                equalColumns: ranges?.equalColumns ?? 0)
        }
        return best
    }
}

extension ClassIndex {
    /// Whether its columns are of the fields of `sorting`, and maybe of others: else it cannot have
    /// that order.
    fileprivate func mayOrder(_ sorting: [FieldOrder]) -> Bool {
        sorting.allSatisfy { order in sources.contains { $0.field?.index == order.field } }
    }

    /// Whether rows that are equal in the first `equalColumns` columns stand in the order `sorting`, by
    /// these columns and all others: `true` if against it, `nil` if not at all.
    fileprivate func isDescending(for sorting: [FieldOrder], behind equalColumns: Int) -> Bool? {
        let columns = plannedColumns
        var place = equalColumns
        var isDescending: Bool?
        for order in sorting {
            // All are equal there.
            let isEqual = columns[..<equalColumns].contains {
                $0.map { $0.isIn(order) && $0.isExactEqual } ?? false
            }
            if isEqual { continue }
            guard place < columns.count, columns[place]?.isIn(order) == true,
                isDescending == nil || isDescending == order.isDescending
            else { return nil }
            isDescending = order.isDescending
            place += 1
        }
        return place == columns.count ? isDescending ?? false : nil
    }
}
