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
            let scan = OrderedScan(
                index: index, table: table, ranges: Array(ranges.ranges.prefix(mostRangesToTry)),
                isDescending: false, isExact: ranges.isExact && ranges.used.count == limits.count,
                limits: ranges.taken, equalColumns: ranges.equalColumns)
            best = (scan, ranges.ranges.count <= mostRangesToTry)
        }
        return best
    }

    private var mostRangesToTry: Int { 16 }
}

extension QueryRun {
    /// How many objects are looked at in vain.
    private static var mostToTry: Int { 64 }
    /// With more pending objects, which each look asks, nothing is won.
    private static var mostPending: Int { 256 }

    /// Whether there are more than `passed` matches, if the first keys of an index tell: they have as many,
    /// or there are no other keys. `nil` otherwise.
    mutating func existsByFirstKeys(passed: Int) throws -> Bool? {
        guard classes.count == 1, passed < Self.mostToTry, behind == nil,
            store.changes.pendingCount <= Self.mostPending
        else { return nil }
        try resolveTargets(of: 0)
        var parts = [conditions[0]]
        if case .any(let alternatives) = conditions[0] { parts = alternatives }
        // An object may meet several alternatives, and have several keys in an index of elements.
        guard passed == 0 || parts.count == 1, parts.count <= 8 else { return nil }
        var isSure = true
        for part in parts {
            guard let (scan, isWhole) = try store.narrowingScan(part, classes[0]),
                passed == 0 || !scan.index.index.isMultiple
            else {
                isSure = false
                continue
            }
            let before = counts
            do {
                let found = try matches(
                    [], by: scan, limit: 1, offset: passed, toExamine: Self.mostToTry)
                if let found, !found.places.isEmpty { return true }
                if found == nil || !isWhole { isSure = false }
            } catch is OrderedWalk.CutKey { isSure = false }
            counts = before
        }
        return isSure ? false : nil
    }

    /// Whether one of the first objects of the class is a match, where an index would have to be asked for
    /// the targets of a relationship or for many values; `nil` if more objects would have to be looked at,
    /// or one cannot be read.
    /// - Throws: what the predicate throws.
    mutating func existsAmongFirst() throws -> Bool? {
        let worthAsking = conditions[0].objectsWorthAsking
        guard classes.count == 1, behind == nil, worthAsking > 0,
            try store.queryIndexes(of: classes[0]) != nil
        else { return nil }
        // If none is a match, and a scan is what follows, this was done twice.
        let toScan = min(worthAsking, Self.mostToScan, try store.countOfAll(classes[0]) / 8)
        guard toScan > 0 else { return nil }
        let filter = FilterOfFirst(conditions[0].filter, toScan)
        var isFound = false
        let before = counts
        do {
            try store.scan(classes[0], filter, &counts) { _ in
                isFound = true
                return false
            }
            return isFound
        } catch let error
            where error is FilterOfFirst.Enough || error is StoreError || error is BackendError
            || error is DataBufferError
        {
            // Enough, or a record that the plan may never read. What the predicate throws goes on.
            counts = before
            return nil
        }
    }

    /// How many objects are asked before an index is: fewer than finding the targets of a path takes.
    private static var mostToScan: Int { 1000 }
}

extension Condition {
    /// How many objects can be asked themselves in the time that an index takes to be asked at all: for the
    /// targets of a relationship any number, for a list of values one for each.
    fileprivate var objectsWorthAsking: Int {
        if case .any(let alternatives) = self {
            return alternatives.map(\.objectsWorthAsking).max() ?? 0
        }
        var count = 0
        for part in conjuncts {
            if case .expression(let expression) = part, expression.target != nil { return .max }
            if case .equal(let values)? = part.limit?.kind, values.count > Self.fewValues {
                count = max(count, values.count)
            }
        }
        return count
    }

    /// Making the keys of so few values takes less time than a scan takes to begin.
    private static var fewValues: Int { 16 }
}

/// A filter that gives up after so many objects.
private final class FilterOfFirst: Filter {
    struct Enough: Error {}

    private let filter: Filter
    @exclusivity(unchecked) private var left: Int

    init(_ filter: Filter, _ left: Int) {
        self.filter = filter
        self.left = left
    }

    override func accepts(_ candidate: Candidate) throws -> Bool {
        if left == 0 { throw Enough() }
        left -= 1
        return try filter.accepts(candidate)
    }
}
