import CabinetBackend

extension Store {
    /// The index whose ranges follow from most of the condition; `nil` if it leaves all keys of each, or
    /// more ranges than are worth a look.
    ///
    /// Nothing is counted: where one match is enough, that would take longer than the look.
    fileprivate func narrowingScan(
        _ condition: Condition, _ storedClass: StoredClass
    ) throws -> OrderedScan? {
        guard let indexes = try queryIndexes(of: storedClass) else { return nil }
        let limits = condition.conjuncts.map(\.limit)
        guard limits.contains(where: { $0 != nil }) else { return nil }
        var best: OrderedScan?
        var bestUsed = 0
        for index in indexes.all where index.isComplete {
            guard let table = index.table, let ranges = IndexRanges(index, limits),
                ranges.used.count > bestUsed, ranges.ranges.count <= mostRangesToTry
            else { continue }
            bestUsed = ranges.used.count
            best = OrderedScan(
                index: index, table: table, ranges: ranges.ranges, isDescending: false,
                isExact: ranges.isExact && ranges.used.count == limits.count,
                limits: ranges.taken, equalColumns: ranges.equalColumns)
        }
        return best
    }

    private var mostRangesToTry: Int { 16 }
}

extension QueryRun {
    /// How many objects are looked at in vain.
    private static var mostToTry: Int { 64 }

    /// Whether there are more than `passed` matches, if the first keys of an index tell: they have as many,
    /// or there are no other keys. `nil` otherwise.
    mutating func existsByFirstKeys(passed: Int) throws -> Bool? {
        guard classes.count == 1, passed < Self.mostToTry, behind == nil,
            let scan = try store.narrowingScan(conditions[0], classes[0]),
            // An object has several keys there.
            passed == 0 || !scan.index.index.isMultiple
        else { return nil }
        let before = counts
        do {
            let found = try matches(
                [], by: scan, limit: 1, offset: passed, toExamine: Self.mostToTry)
            if let found { return !found.places.isEmpty }
        } catch is OrderedWalk.CutKey {}
        counts = before
        return nil
    }
}
