import CabinetBackend

extension Store {
    /// The index whose ranges follow from most of the condition, as it is, and whether all of them are in
    /// it: of many, only the first are. `nil` if the condition leaves all keys of each index.
    ///
    /// Nothing is counted: where one match is enough, that would take longer than the look.
    fileprivate func narrowingScan(
        _ condition: Condition, _ storedClass: StoredClass
    ) throws -> (scan: OrderedScan, isWhole: Bool)? {
        guard let indexes = try queryIndexes(of: storedClass) else { return nil }
        let limits = condition.conjuncts.map(\.limit)
        guard limits.contains(where: { $0 != nil }) else { return nil }
        var best: (scan: OrderedScan, isWhole: Bool)?
        var bestUsed = 0
        for index in indexes.all where index.isComplete {
            guard let table = index.table, let ranges = IndexRanges(index, limits),
                ranges.used.count > bestUsed
            else { continue }
            bestUsed = ranges.used.count
            var span = IndexSpan(index, table, ranges, of: limits)
            span.ranges = Array(span.ranges.prefix(mostRangesToTry))
            let scan = OrderedScan(
                span: span, isDescending: false, columns: 0, orders: 0, isWhole: true)
            best = (scan, ranges.ranges.count <= mostRangesToTry)
        }
        return best
    }

    private var mostRangesToTry: Int { 16 }
}

extension QueryRun {
    /// How many objects are looked at in vain.
    private static var mostToTry: Int { 64 }
    /// With more pending objects, of which each look makes keys, nothing is won.
    private static var mostPending: Int { 256 }

    /// Whether more than `passed` objects meet the condition. Stops at the first one that settles it.
    mutating func exists(behind passed: Int) throws -> Bool {
        if let isThere = try existsByFirstKeys(behind: passed) { return isThere }
        return try replanning { run in
            var window = MatchWindow(toSkip: passed, left: 1)
            for index in run.classes.indices where window.left > 0 {
                if case .constant(false) = run.conditions[index] { continue }
                let path = try run.accessPath(of: index)
                try run.withSource(by: path, of: index) {
                    try $0.add(to: Matches(), &window, onlyRows: true)
                }
            }
            return window.left == 0
        }
    }

    /// The same, if the first keys of an index tell: they have as many, or there are no other keys. `nil`
    /// otherwise.
    private mutating func existsByFirstKeys(behind passed: Int) throws -> Bool? {
        guard classes.count == 1, store.changes.pendingCount <= Self.mostPending else { return nil }
        try resolveTargets(of: 0)
        var parts = [conditions[0]]
        if case .any(let alternatives) = conditions[0] { parts = alternatives }
        // An object may meet several alternatives, and have several keys in an index of elements.
        guard passed == 0 || parts.count == 1, parts.count <= 8 else { return nil }
        var isSure = true
        for part in parts {
            guard let (scan, isWhole) = try store.narrowingScan(part, classes[0]),
                passed == 0
                    || !scan.index.index.isMultiple && (scan.isExact || passed < Self.mostToTry)
            else {
                isSure = false
                continue
            }
            var window = MatchWindow(toSkip: passed, left: 1)
            do {
                try source(by: scan, &window, mostInVain: Self.mostToTry)
                    .use(&counts) { try $0.add(to: Matches(), &window, onlyRows: true) }
                if window.left == 0 { return true }
                if !isWhole { isSure = false }
            } catch is OrderedWalk.Unusable { isSure = false }
        }
        return isSure ? false : nil
    }
}
