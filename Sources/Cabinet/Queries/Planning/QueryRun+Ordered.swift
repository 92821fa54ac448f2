import CabinetBackend

/// How a query is answered. It is planned once, and what ``QueryPlan`` says of it.
enum SourcePlan {
    /// By an index of the only class that has the first orders of the query.
    case ordered(OrderedScan)
    /// Class by class. What is found is sorted if the query has an order.
    case classes([AccessPath])

    /// The index that has the first orders of the query.
    var scan: OrderedScan? { if case .ordered(let scan) = self { scan } else { nil } }
}

extension QueryRun {
    /// The quickest way to the objects, in the order of the query.
    ///
    /// - Parameters:
    ///   - purpose: what is wanted of the objects, if no index has the order.
    ///   - read: of a class, the fields that are read alone; `nil` for more than such.
    mutating func sourcePlan(
        onlyRows: Bool = false, for purpose: PathPurpose = .records,
        reading read: (ClassFields) -> FieldsRead? = { _ in nil }
    ) throws -> SourcePlan {
        if let scan = try orderedScan(onlyRows: onlyRows) { return .ordered(scan) }
        return .classes(
            try classes.indices.map { index in
                if case .constant(false) = conditions[index] { return .scan }
                let fields = read(store.fields(of: classes[index]))
                return try accessPath(of: index, for: purpose, reading: fields)
            })
    }

    /// The index that gives the objects in the query's order, or in that of its first orders; `nil` if
    /// none does, or another way is quicker.
    ///
    /// - Parameter onlyRows: whether nothing but the rows are wanted.
    mutating func orderedScan(onlyRows: Bool) throws -> OrderedScan? {
        guard mayFollowOrder, classes.count == 1, !query.sortedBy.isEmpty,
            query.bound.map({ $0 > 0 }) ?? onlyRows, try store.queryIndexes(of: classes[0]) != nil,
            store.pending(of: classes[0]).rows.count <= PendingInOrder.most
        else { return nil }
        let fields = store.fields(of: classes[0])
        try resolveTargets(of: 0)
        let scan = try store.orderedScan(
            conditions[0], query.sortedBy.map { $0.fieldOrder(fields) }, classes[0])
        guard let scan else { return nil }
        if onlyRows, scan.isExact, scan.isWhole { return scan }
        guard let bound = query.bound else { return nil }
        let costs = store.plannerCosts
        let all = try store.countOfAll(classes[0])
        let wanted =
            !scan.isWhole ? bound.doubled : scan.isExact ? query.window(of: bound).count : bound
        guard Double(wanted) * Double(costs.lookUp) < costs.scan(of: all) else { return nil }
        if scan.isExact, scan.isWhole { return scan }
        // If matches are evenly spread, that many rows have to be looked at to find enough.
        if let other = try planOfFirst() {
            let rows = max(other.estimatedRows, 1)
            guard bound <= rows, bound * (all / rows) < rows else { return nil }
        }
        return scan
    }

    /// The source of the objects in the order of an index.
    ///
    /// - Parameters:
    ///   - window: which of the matches are wanted, of which the source may leave out the first ones itself.
    ///   - mostInVain: how many other objects are met; `nil` for as many as are worth it.
    func source(
        by scan: OrderedScan, _ window: inout MatchWindow, mostInVain: Int? = nil
    ) throws -> OrderedSource {
        var start = OrderedStart(ranges: scan.ranges)
        if let behind {
            let fields = store.fields(of: classes[0])
            let order = query.sortedBy.prefix(scan.orders).compactMap { $0.fieldOrder(fields) }
            start = try store.start(of: scan, behind: behind, order)
        } else if scan.isExact, scan.isWhole, window.toSkip > 0,
            !store.overlay.hasPending(of: classes[0])
        {
            start = try store.start(of: scan, behind: window.toSkip)
            window.toSkip = 0
        }
        let all = try store.countOfAll(classes[0])
        return try OrderedSource(
            store, scan, wholeCondition(of: 0).filter, isExact: scan.isExact && behind == nil,
            OrderedSource.Extent(
                start: start, wanted: scan.isWhole ? window.end : query.bound ?? .max,
                mostInVain: scan.isExact && scan.isWhole
                    ? .max
                    : mostInVain ?? store.plannerCosts.mostInVain(besideScanOf: all)))
    }
}

extension Int {
    /// Twice as much, or the most there is.
    fileprivate var doubled: Int { multipliedReportingOverflow(by: 2).overflow ? .max : self * 2 }
}
