import CLibrary
import CabinetBackend

/// An index of which only the first columns are in the order of a query: equal ones have to be sorted.
struct PartlyOrderedScan {
    let scan: OrderedScan
    /// Of how many orders of the query the index has a column.
    let orders: Int
    /// How many columns of a key say which rows are equal by these.
    var columns: Int { scan.equalColumns + orders }
}

extension Store {
    /// The index that has most of the first orders of `sorting`; `nil` if none has the first one.
    fileprivate func partlyOrderedScan(
        _ condition: Condition, _ sorting: [FieldOrder?], _ storedClass: StoredClass
    ) throws -> PartlyOrderedScan? {
        guard let indexes = try queryIndexes(of: storedClass) else { return nil }
        let limits = condition.conjuncts.map(\.limit)
        var best: PartlyOrderedScan?
        var bestPlace = (-1, -1)
        for index in indexes.all
        where index.isComplete && !index.index.isMultiple && index.index.subset == nil {
            guard let table = index.table else { continue }
            let ranges = IndexRanges(index, limits)
            let equal = ranges?.equalColumns ?? 0
            guard let (orders, isDescending) = index.beginning(of: sorting, behind: equal) else {
                continue
            }
            let used = ranges?.used.count ?? 0
            guard (used, orders) > bestPlace else { continue }
            bestPlace = (used, orders)
            best = PartlyOrderedScan(
                scan: OrderedScan(
                    index: index, table: table, ranges: ranges?.ranges ?? [.everything],
                    isDescending: isDescending,
                    isExact: (ranges?.isExact ?? true) && used == limits.count,
                    limits: ranges?.taken ?? [], equalColumns: equal), orders: orders)
        }
        return best
    }
}

extension ClassIndex {
    /// Of how many of the first orders the index has columns, one behind another from `place` on, and
    /// whether it has them the other way round.
    fileprivate func beginning(
        of sorting: [FieldOrder?], behind place: Int
    ) -> (orders: Int, isDescending: Bool)? {
        var found = 0
        var isDescending: Bool?
        for case let order? in sorting.prefix(while: { $0 != nil }) {
            guard place + found < sources.count, let column = plannedColumns[place + found],
                column.isIn(order), isDescending ?? order.isDescending == order.isDescending
            else { break }
            isDescending = order.isDescending
            found += 1
        }
        return isDescending.map { (found, $0) }
    }
}

extension QueryRun {
    /// The index whose first columns are in the query's order; `nil` if none is, or another way is
    /// quicker.
    mutating func partlyOrderedScan() throws -> PartlyOrderedScan? {
        guard classes.count == 1, !query.sortedBy.isEmpty, let bound = query.bound, bound > 0,
            try store.queryIndexes(of: classes[0]) != nil
        else { return nil }
        let fields = store.fields(of: classes[0])
        let sorting = query.sortedBy.map { $0.fieldOrder(fields) }
        try resolveTargets(of: 0)
        // An index with the whole order was found too slow.
        let whole = sorting.compactMap { $0 }
        if whole.count == sorting.count,
            try store.orderedScan(conditions[0], whole, classes[0]) != nil
        {
            return nil
        }
        guard let scan = try store.partlyOrderedScan(conditions[0], sorting, classes[0]) else {
            return nil
        }
        let costs = store.plannerCosts
        let all = try store.countOfAll(classes[0])
        guard Double(bound) * Double(costs.lookUp * 2) < costs.scan(of: all) else { return nil }
        if let other = try planOfFirst() {
            // If matches are evenly spread, that many rows have to be looked at to find enough.
            let rows = max(other.estimatedRows, 1)
            guard bound <= rows, bound * (all / rows) < rows else { return nil }
        }
        return scan
    }

    /// The matches that the query gives, by an index that has the first columns of its order: those that
    /// are equal by these are sorted in memory. `nil` if that would take longer than otherwise.
    mutating func partlyOrderedMatches(_ columns: [MatchColumn]) throws -> Matches? {
        guard let found = try partlyOrderedScan(), let bound = query.bound else { return nil }
        let before = counts
        do {
            let matches = Matches(
                by: query.sortedBy.map { $0.makeColumn() }, wanted: columns, bound: bound)
            if try collect(matches, by: found, bound) {
                matches.sort()
                matches.keep(query.window(of: matches.places.count))
                return matches
            }
        } catch is OrderedWalk.CutKey {}
        counts = before
        forgetPlans()
        for column in columns { column.keep([]) }
        return nil
    }

    /// Adds what may be among the first `bound` objects. `false` if they are too far apart.
    private mutating func collect(
        _ matches: Matches, by found: PartlyOrderedScan, _ bound: Int
    ) throws -> Bool {
        let (scan, storedClass) = (found.scan, classes[0])
        let filter = wholeCondition(of: 0).filter
        let isExact = scan.isExact && behind == nil
        store.enumerations += 1
        defer { store.enumerations -= 1 }
        scan.index.uses += 1
        matches.turn(to: store.fields(of: storedClass), at: 0)
        let pending = store.overlay.pending(of: storedClass)
        let candidate = Candidate(store, store.fields(of: storedClass))
        for object in pending.objects where !object.state.contains(.deleted) {
            candidate.take(object)
            counts.examined += 1
            guard try filter.accepts(candidate) else { continue }
            counts.matched += 1
            try matches.append(candidate)
        }
        var ranges = scan.ranges
        if let behind {
            let fields = store.fields(of: storedClass)
            let order = query.sortedBy.prefix(found.orders).compactMap { $0.fieldOrder(fields) }
            ranges = try store.ranges(of: scan, from: behind, order, columns: found.columns)
        }
        let most = store.plannerCosts.mostInVain(besideScanOf: try store.countOfAll(storedClass))
        var (examined, left) = (0, bound)
        let isDone = try store.withSeekMemory { memory in
            let walk = OrderedWalk(
                try store.readerForWalk(), scan.table, ranges, isDescending: scan.isDescending,
                keepsKeys: true, toDrop: 0, memory)
            var group: [UInt8] = []
            var size = min(max(bound, 1), 4096)
            while try walk.next(size) {
                var start = 0
                for (place, key) in walk.keys.enumerated() where !key.begins(with: group) {
                    try take(walk.rows[start..<place])
                    start = place
                    if left <= 0 { return true }
                    group = try found.group(of: key)
                }
                try take(walk.rows[start...])
                if examined > most { return false }
                size = min(size * 2, 4096)
            }
            return true

            func take(_ rows: ArraySlice<RowID>) throws {
                if rows.isEmpty { return }
                var rows = rows
                if !pending.rows.isEmpty { rows = rows.filter { !pending.rows.contains($0) }[...] }
                examined += rows.count
                _ = try store.forEachCandidate(candidate, at: rows, memory) {
                    counts.examined += 1
                    if !isExact || candidate.isInMemory {
                        guard try filter.accepts(candidate) else { return true }
                    }
                    counts.matched += 1
                    left -= 1
                    try matches.append(candidate)
                    return true
                }
            }
        }
        counts.objectsRead += candidate.objectsRead
        return isDone
    }
}

extension PartlyOrderedScan {
    /// What all keys of those rows begin with that are equal by the first orders.
    fileprivate func group(of key: [UInt8]) throws(OrderedWalk.CutKey) -> [UInt8] {
        let end: Int? = key.withUnsafeBytes { key in
            var end = 0
            for _ in 0..<columns {
                guard let next = EntryReader.end(of: key, from: end) else { return nil }
                end = next
            }
            return end
        }
        guard let end else { throw OrderedWalk.CutKey() }
        return Array(key[..<end])
    }
}

extension [UInt8] {
    /// Whether it begins with `prefix`; with an empty one, it does not.
    fileprivate func begins(with prefix: [UInt8]) -> Bool {
        !prefix.isEmpty && count >= prefix.count
            && withUnsafeBytes { own in
                prefix.withUnsafeBytes { prefix in
                    guard let one = own.baseAddress, let other = prefix.baseAddress else {
                        return false
                    }
                    return memcmp(one, other, prefix.count) == 0
                }
            }
    }
}
