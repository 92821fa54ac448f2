import CabinetBackend

/// An index that has the first orders of a query.
struct OrderedScan: ScanOfIndex {
    var span: IndexSpan
    let isDescending: Bool
    /// How many columns of a key say which rows are equal by the orders that the index has.
    let columns: Int
    /// Of how many orders of the query, from the first one on, the index has columns.
    let orders: Int
    /// Whether rows come in the whole order of the query. Otherwise those that are equal by the first
    /// orders must be sorted.
    let isWhole: Bool
}

extension Store {
    /// The index that gives the objects of `storedClass` in the order of `sorting`: one that has all of it
    /// before one that has the first orders. Of the former it is the one whose ranges follow from most
    /// of the condition, exact ones first; of the latter that, too, and then the one with most orders.
    func orderedScan(
        _ condition: Condition, _ sorting: [FieldOrder?], _ storedClass: StoredClass
    ) throws -> OrderedScan? {
        guard let indexes = try queryIndexes(of: storedClass) else { return nil }
        let limits = condition.conjuncts.map(\.limit)
        let hasLimits = limits.contains { $0 != nil }
        var best: OrderedScan?
        var bestRank = (-1, -1, -1)
        for index in indexes.all
        where index.isComplete && !index.index.isMultiple && index.index.subset == nil {
            guard index.mayOrder(sorting) else { continue }
            guard let table = index.table else { continue }
            let ranges = hasLimits ? IndexRanges(index, limits) : nil
            let span = IndexSpan(index, table, ranges, of: limits)
            guard let scan = OrderedScan(span, in: sorting) else { continue }
            let used = ranges?.used.count ?? 0
            let rank =
                scan.isWhole ? (1, scan.isExact ? .max : used, 0) : (0, used, scan.orders)
            guard rank > bestRank else { continue }
            (best, bestRank) = (scan, rank)
        }
        return best
    }
}

extension OrderedScan {
    /// - Parameters:
    ///   - span: where the condition leaves anything.
    ///   - sorting: the order of the query; `nil` for what no index can tell.
    /// - Returns: `nil` if the index does not have the first order.
    init?(_ span: IndexSpan, in sorting: [FieldOrder?]) {
        let (equal, known) = (span.equalColumns, span.index.plannedColumns)
        var (columns, orders) = (equal, 0)
        var direction: Bool?
        for case let order? in sorting.prefix(while: { $0 != nil }) {
            // All rows may be equal in it.
            let isEqual = known[..<equal].contains {
                $0?.isIn(order) == true && $0?.isExactEqual == true
            }
            if !isEqual {
                guard columns < known.count, known[columns]?.isIn(order) == true,
                    direction == nil || direction == order.isDescending
                else { break }
                direction = order.isDescending
                columns += 1
            }
            orders += 1
        }
        isWhole = orders == sorting.count && columns == known.count
        guard isWhole || columns > equal else { return nil }
        (self.span, self.columns, self.orders) = (span, columns, orders)
        isDescending = direction ?? false
    }
}

extension ClassIndex {
    /// Whether one of its columns is of the field of the first order: else it cannot have that.
    fileprivate func mayOrder(_ sorting: [FieldOrder?]) -> Bool {
        guard case let order?? = sorting.first else { return false }
        return sources.contains { $0.field?.index == order.field }
    }
}
