import CabinetBackend

extension QueryRun {
    /// The index that gives the objects in the query's order; `nil` if none does, or another way is
    /// quicker.
    ///
    /// - Parameter onlyRows: whether nothing but the rows are wanted.
    func orderedScan(onlyRows: Bool) throws -> OrderedScan? {
        guard classes.count == 1, !query.sortedBy.isEmpty, query.bound != nil || onlyRows,
            store.indexKeeper != nil
        else { return nil }
        let storedClass = classes[0]
        let fields = store.fields(of: storedClass)
        var sorting: [FieldOrder] = []
        for order in query.sortedBy {
            guard let field = order.fieldOrder(fields) else { return nil }
            sorting.append(field)
        }
        guard let scan = try store.orderedScan(conditions[0], sorting, storedClass) else {
            return nil
        }
        if onlyRows, scan.isExact { return scan }
        guard let bound = query.bound else { return nil }
        let costs = store.plannerCosts
        if costs.lookUp == 0 { return scan }
        let all = try store.countOfAll(storedClass)
        let wanted = scan.isExact ? query.window(of: bound).count : bound
        guard wanted * costs.lookUp < all else { return nil }
        if scan.isExact { return scan }
        // If matches are evenly spread, that many rows have to be looked at to find enough.
        if case .rows(let other) = try accessPath(of: 0) {
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
        do { return try matches(columns, by: scan) } catch is OrderedWalk.CutKey {
            counts = before
            for column in columns { column.keep([]) }
            return nil
        }
    }

    private mutating func matches(
        _ columns: [MatchColumn], by scan: OrderedScan
    ) throws -> Matches? {
        let storedClass = classes[0]
        let filter = conditions[0].filter
        let matches = Matches(by: [], wanted: columns, bound: nil, areInOrder: true)
        matches.turn(to: store.fields(of: storedClass), at: 0)
        if query.limit.map({ $0 <= 0 }) ?? false { return matches }
        store.enumerations += 1
        defer { store.enumerations -= 1 }
        guard
            let pending = try PendingInOrder(
                store, scan, behind == nil ? filter : wholeCondition(of: 0).filter)
        else { return nil }
        scan.index.uses += 1
        var toSkip = max(query.offset, 0)
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
        var left = query.limit.map { max($0, 0) } ?? .max
        var toExamine = scan.isExact ? Int.max : try mostToExamine(storedClass)
        let onlyRows = columns.isEmpty && scan.isExact
        let candidate = Candidate(store, store.fields(of: storedClass))
        try store.withSeekMemory { memory in
            let walk = OrderedWalk(
                try store.readerForWalk(), scan.table, start.ranges,
                isDescending: scan.isDescending, keepsKeys: !pending.rows.isEmpty,
                toDrop: start.toDrop, memory)
            // As many as may be enough.
            let (sum, overflows) = left.addingReportingOverflow(toSkip)
            var size = overflows ? 4096 : min(sum, 4096)
            /// Takes the object that the candidate stands at. `false` after the last one.
            func add(_ isInFilter: Bool) throws -> Bool {
                counts.examined += 1
                toExamine -= 1
                if !isInFilter, !scan.isExact || candidate.isInMemory {
                    guard try filter.accepts(candidate) else { return toExamine > 0 }
                }
                counts.matched += 1
                if toSkip > 0 {
                    toSkip -= 1
                    return toExamine > 0
                }
                try matches.append(candidate)
                left -= 1
                return left > 0
            }
            func addRows(_ rows: ArraySlice<RowID>) throws -> Bool {
                guard onlyRows else {
                    return try store.forEachCandidate(candidate, at: rows, memory) {
                        try add(false)
                    }
                }
                for row in rows {
                    counts.examined += 1
                    counts.matched += 1
                    if toSkip > 0 {
                        toSkip -= 1
                    } else {
                        matches.append(row)
                        left -= 1
                        if left == 0 { return false }
                    }
                }
                return true
            }
            func addPending() throws -> Bool {
                candidate.take(pending.removeFirst())
                return try add(true)
            }
            while try walk.next(max(size, 1)) {
                var rows = walk.rows[...]
                if !pending.rows.isEmpty {
                    var kept: [RowID] = []
                    for (row, key) in zip(walk.rows, walk.keys) {
                        while let next = pending.first,
                            next.isBefore(key, row, scan.isDescending)
                        {
                            guard try addRows(kept[...]) else { return }
                            kept.removeAll()
                            guard try addPending() else { return }
                        }
                        if !pending.rows.contains(row) { kept.append(row) }
                    }
                    rows = kept[...]
                }
                guard try addRows(rows) else { return }
                size = min(size * 2, 4096)
            }
            while pending.first != nil { guard try addPending() else { return } }
        }
        counts.objectsRead += candidate.objectsRead
        guard left == 0 || toExamine > 0 else {
            for column in columns { column.keep([]) }
            return nil
        }
        return matches
    }

    /// How many objects are looked at in vain before a scan is preferred: so many that all is not much
    /// slower than the scan alone.
    private func mostToExamine(_ storedClass: StoredClass) throws -> Int {
        let cost = store.plannerCosts.lookUp
        if cost == 0 { return .max }
        return max(try store.countOfAll(storedClass) / (cost * 6), 16)
    }
}
