import CabinetBackend

extension QueryRun {
    /// The index that gives the objects in the query's order; `nil` if none does, or another way is
    /// quicker.
    ///
    /// - Parameter onlyRows: whether nothing but the rows are wanted.
    mutating func orderedScan(onlyRows: Bool) throws -> OrderedScan? {
        guard classes.count == 1, !query.sortedBy.isEmpty, query.bound != nil || onlyRows,
            try store.queryIndexes(of: classes[0]) != nil
        else { return nil }
        let storedClass = classes[0]
        let fields = store.fields(of: storedClass)
        var sorting: [FieldOrder] = []
        for order in query.sortedBy {
            guard let field = order.fieldOrder(fields) else { return nil }
            sorting.append(field)
        }
        try resolveTargets(of: 0)
        guard let scan = try store.orderedScan(conditions[0], sorting, storedClass) else {
            return nil
        }
        if onlyRows, scan.isExact { return scan }
        guard let bound = query.bound else { return nil }
        let costs = store.plannerCosts
        let all = try store.countOfAll(storedClass)
        let wanted = scan.isExact ? query.window(of: bound).count : bound
        guard Double(wanted) * Double(costs.lookUp) < costs.scan(of: all) else { return nil }
        if scan.isExact { return scan }
        // If matches are evenly spread, that many rows have to be looked at to find enough.
        if let other = try planOfFirst() {
            let rows = max(other.estimatedRows, 1)
            guard bound <= rows, bound * (all / rows) < rows else { return nil }
        }
        return scan
    }

    /// The matches that the query gives, in its order, by an index in that order; `nil` if that would take
    /// longer than otherwise.
    mutating func orderedMatches(_ columns: [MatchColumn]) throws -> Matches? {
        guard let scan = try orderedScan(onlyRows: columns.isEmpty) else { return nil }
        let before = counts
        do {
            return try matches(columns, by: scan, limit: query.limit, offset: query.offset)
        } catch is OrderedWalk.CutKey {
            counts = before
            forgetPlans()
            for column in columns { column.keep([]) }
            return nil
        }
    }

    /// The matches at the front of a walk over an index; `nil` if that has looked at too many objects in
    /// vain.
    ///
    /// - Parameter toExamine: how many are looked at in vain; `nil` for as many as are worth it.
    mutating func matches(
        _ columns: [MatchColumn], by scan: OrderedScan, limit: Int?, offset: Int,
        toExamine: Int? = nil
    ) throws -> Matches? {
        let storedClass = classes[0]
        let filter = conditions[0].filter
        let matches = Matches(by: [], wanted: columns, bound: nil, areInOrder: true)
        matches.turn(to: store.fields(of: storedClass), at: 0)
        if limit.map({ $0 <= 0 }) ?? false { return matches }
        store.enumerations += 1
        defer { store.enumerations -= 1 }
        guard
            let pending = try PendingInOrder(
                store, scan, behind == nil ? filter : wholeCondition(of: 0).filter)
        else { return nil }
        scan.index.uses += 1
        if let limit { matches.reserve(min(limit, 1024)) }
        var toSkip = max(offset, 0)
        var start = OrderedStart(ranges: scan.ranges, toDrop: 0)
        if let behind {
            let fields = store.fields(of: storedClass)
            let order = query.sortedBy.compactMap { $0.fieldOrder(fields) }
            start =
                try store.start(of: scan, behind: behind, order)
                ?? OrderedStart(ranges: [], toDrop: 0)
        } else if scan.isExact, pending.rows.isEmpty, toSkip > 0 {
            guard let found = try store.start(of: scan, behind: toSkip) else { return matches }
            (start, toSkip) = (found, 0)
        }
        let matcher = OrderedMatcher(
            store, scan, matches, filter, pending,
            OrderedMatcher.Extent(
                toSkip: toSkip, left: limit.map { max($0, 0) } ?? .max,
                toExamine: try scan.isExact
                    ? .max
                    : toExamine
                        ?? store.plannerCosts.mostInVain(
                            besideScanOf: store.countOfAll(storedClass))),
            takesRows: columns.isEmpty && scan.isExact)
        defer {
            counts.examined += matcher.examined
            counts.matched += matcher.matched
            counts.objectsRead += matcher.objectsRead
        }
        try store.withSeekMemory { memory in
            let walk = OrderedWalk(
                try store.readerForWalk(), scan.table, start.ranges,
                isDescending: scan.isDescending, keepsKeys: !pending.rows.isEmpty,
                toDrop: start.toDrop, memory)
            try matcher.take(walk, scan.isDescending, memory)
        }
        guard matcher.extent.left == 0 || matcher.extent.toExamine > 0 else {
            forgetPlans()
            for column in columns { column.keep([]) }
            return nil
        }
        return matches
    }
}
