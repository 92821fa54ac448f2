import CabinetBackend

/// Finds the quickest way to the rows that meet a condition, by the indexes of one class.
struct RowPlanner {
    let store: Store
    let indexes: [ClassIndex]
    let storedClass: StoredClass
    private let purpose: PathPurpose
    let costs: PlannerCosts

    /// So few rows need no better plan.
    static var few: Int { 4 }

    init(_ store: Store, _ storedClass: StoredClass, _ purpose: PathPurpose) throws {
        self.store = store
        self.purpose = purpose
        self.storedClass = storedClass
        let all = try store.queryIndexes(of: storedClass)?.all ?? []
        indexes = all.filter { $0.isComplete && $0.table != nil }
        costs = store.plannerCosts
    }

    /// The rows for `condition`; `nil` if a scan of the class is quicker.
    func plan(_ condition: Condition) throws -> RowPlan? {
        try planOfResolved(resolvingTargets(condition))
    }

    private func planOfResolved(_ condition: Condition) throws -> RowPlan? {
        guard !indexes.isEmpty || condition.namesRows else { return nil }
        let all = try countOfAll()
        guard let plan = try plan(condition, all) else { return nil }
        return costs.cost(of: plan, for: purpose) < costs.scan(of: all) ? plan : nil
    }

    /// How to come to the objects that meet `condition`, of which only some fields are read.
    ///
    /// - Parameter known: what ``plan(_:)`` gave of the condition, if it was asked.
    func path(
        _ condition: Condition, reading fields: FieldsRead?, known: KnownPlan? = nil
    ) throws -> AccessPath {
        let condition = try resolvingTargets(condition)
        let plan = try known.map(\.plan) ?? planOfResolved(condition)
        // Nothing is quicker than rows alone.
        if let plan, plan.isExact, purpose != .records { return .rows(plan) }
        guard let fields, let scan = try entryScan(condition, reading: fields) else {
            return plan.map(AccessPath.rows) ?? .scan
        }
        if let plan {
            let isCheaper = costs.cost(of: plan, for: purpose) <= costs.cost(of: scan, for: purpose)
            return isCheaper ? .rows(plan) : .entries(scan)
        }
        return costs.cost(of: scan, for: purpose) < costs.scan(of: try countOfAll())
            ? .entries(scan) : .scan
    }

    /// How many saved objects the class has; over a remote engine perhaps as of a while ago.
    func countOfAll() throws(BackendError) -> Int {
        if let known = store.readAhead?.count(of: storedClass.table) { return known }
        let count = try store.reading { reader throws(BackendError) in
            try reader.count(of: storedClass.table)
        }
        store.readAhead?.note(count, of: storedClass.table)
        return count
    }

    /// One index, and which parts of the condition its ranges follow from.
    private struct Part {
        let plan: RowPlan
        let used: Set<Int>
        /// Whether no other keys lie in its ranges than these parts leave.
        let isExact: Bool
    }

    /// The best that indexes can do; `nil` if they can do nothing.
    func plan(_ condition: Condition, _ all: Int) throws -> RowPlan? {
        let conjuncts = condition.conjuncts
        let limits = conjuncts.map(\.limit)
        var parts: [Part] = []
        if limits.contains(where: { $0 != nil }) {
            for index in indexes {
                guard let part = try part(index, limits, all) else { continue }
                parts.append(part)
                if part.plan.estimatedRows <= Self.few { break }
            }
        }
        let isSettled = parts.last.map { $0.plan.estimatedRows <= Self.few } ?? false
        if !isSettled {
            for (place, conjunct) in conjuncts.enumerated() where limits[place] == nil {
                if case .expression(let expression) = conjunct, let named = expression.rows {
                    let plan = RowPlan(
                        source: .named(named), isExact: limits.count == 1,
                        estimatedRows: named.rows.count, entries: 0)
                    parts.append(Part(plan: plan, used: [place], isExact: true))
                    continue
                }
                if case .expression(let expression) = conjunct, let target = expression.target {
                    if let plan = try plan(target, isWhole: limits.count == 1, all) {
                        parts.append(Part(plan: plan, used: [place], isExact: true))
                    }
                    continue
                }
                guard case .any(let alternatives) = conjunct,
                    let union = try union(alternatives, all)
                else { continue }
                parts.append(
                    Part(
                        plan: union.exact(union.isExact && limits.count == 1), used: [place],
                        isExact: union.isExact))
            }
        }
        return best(parts, of: limits.count, all)
    }

    /// The cheapest of the parts, or several of them together.
    private func best(_ parts: [Part], of count: Int, _ all: Int) -> RowPlan? {
        func cost(_ part: Part) -> Double { costs.cost(of: part.plan, for: purpose) }
        guard let first = parts.min(by: { cost($0) < cost($1) }) else { return nil }
        var best = first
        for part in parts.sorted(by: { $0.plan.estimatedRows < $1.plan.estimatedRows })
        where !part.used.isSubset(of: best.used) {
            let used = best.used.union(part.used)
            let isExact = best.isExact && part.isExact
            let rows = best.plan.estimatedRows * part.plan.estimatedRows / max(all, 1)
            var members = [best.plan]
            if case .intersection(let earlier) = best.plan.source { members = earlier }
            let both = Part(
                plan: RowPlan(
                    source: .intersection(members + [part.plan]),
                    isExact: isExact && used.count == count, estimatedRows: rows,
                    entries: best.plan.entries + part.plan.entries), used: used, isExact: isExact)
            if cost(both) < cost(best) { best = both }
        }
        return best.plan
    }

    /// What one index can do; `nil` if nothing.
    private func part(_ index: ClassIndex, _ limits: [FieldLimit?], _ all: Int) throws -> Part? {
        guard let table = index.table, let ranges = IndexRanges(index, limits) else { return nil }
        let span = IndexSpan(index, table, ranges, of: limits)
        var count = 1
        var point = ranges.point
        if point == nil || purpose == .count {
            point = nil
            guard try !areClearlyTooMany(ranges.ranges, isExact: span.isExact, in: table, all),
                let found = try self.count(
                    of: ranges.ranges, in: table, besideScanOf: all,
                    limit: purpose == .count && span.isExact ? .max : mostHelpful(of: all))
            else { return nil }
            count = found
        }
        let scan = IndexScan(span: span, point: point, count: count)
        return Part(
            plan: RowPlan(scan, isExact: span.isExact), used: Set(ranges.used),
            isExact: ranges.isExact)
    }

    /// The rows of all alternatives; `nil` if no index helps with one of them.
    private func union(_ alternatives: [Condition], _ all: Int) throws -> RowPlan? {
        var plans: [RowPlan] = []
        var (rows, entries) = (0, 0)
        for alternative in alternatives {
            guard let plan = try plan(alternative, all) else { return nil }
            plans.append(plan)
            rows += plan.estimatedRows
            entries += plan.entries
            if Double(rows) > costs.scan(of: all) { return nil }
        }
        return RowPlan(
            source: .union(plans), isExact: plans.allSatisfy(\.isExact),
            estimatedRows: min(rows, all), entries: entries)
    }

    /// So many ranges are all counted.
    private static var fewRanges: Int { 32 }
    /// How many of more ranges are counted first.
    private static var sampledRanges: Int { 12 }

    /// Whether a sample of many ranges says that a scan is quicker than their rows: counting all takes
    /// long beside a scan of a small class.
    private func areClearlyTooMany(
        _ ranges: [KeyRange], isExact: Bool, in table: TableNumber, _ all: Int
    ) throws(BackendError) -> Bool {
        guard ranges.count > Self.fewRanges else { return false }
        if isExact, purpose == .count {
            return Double(ranges.count * costs.count) > costs.scan(of: all)
        }
        let step = ranges.count / Self.sampledRanges
        var sample = 0
        for place in 0..<Self.sampledRanges {
            let range = ranges[place * step]
            sample += try store.reading { reader throws(BackendError) in
                try reader.count(of: range, in: table)
            }
        }
        let rows = sample * ranges.count / Self.sampledRanges
        let each = isExact && purpose == .rows ? costs.row : Double(costs.lookUp)
        // Twice as many as would do, as a sample may be wrong.
        return Double(rows) * each > costs.scan(of: all) * 2
    }

    /// From how many rows of `all` on no index helps; of engines that walk to count.
    ///
    /// Where a look-up of each costs as much as the scan: with another index an intersection might still be
    /// quicker, but not by what counting so many keys costs.
    private func mostHelpful(of all: Int) -> Int {
        store.backend.features.contains(.ranks) ? .max : all / costs.lookUp + Self.few
    }

    /// How many keys lie in the ranges; `nil` if they are too many to ask for each, or if they are more than
    /// `limit`.
    func count(
        of ranges: [KeyRange], in table: TableNumber, besideScanOf all: Int, limit: Int = .max
    ) throws(BackendError) -> Int? {
        guard Double(ranges.count) <= costs.scan(of: max(all, 1)) else { return nil }
        var sum = 0
        for range in ranges {
            let left = limit == .max ? limit : limit - sum + 1
            sum += try store.reading { reader throws(BackendError) in
                try reader.count(of: range, in: table, upTo: left)
            }
            if sum > limit { return nil }
        }
        return sum
    }
}

extension RowPlan {
    init(_ scan: IndexScan, isExact: Bool) {
        self.init(
            source: .index(scan), isExact: isExact, estimatedRows: scan.count, entries: scan.count)
    }

    /// The same plan, exact or not.
    func exact(_ isExact: Bool) -> RowPlan {
        RowPlan(source: source, isExact: isExact, estimatedRows: estimatedRows, entries: entries)
    }
}
