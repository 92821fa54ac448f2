extension QueryRun {
    /// The steps that answer the query. The rows are those of a run, if it ran.
    ///
    /// - Parameters:
    ///   - isRun: whether to run it.
    ///   - purpose: what is wanted of the objects.
    ///   - read: of a class, the fields that are read alone; `nil` for more than such.
    mutating func plan(
        running isRun: Bool, for purpose: PathPurpose = .records,
        reading read: (ClassFields) -> FieldsRead? = { _ in nil }
    ) throws -> QueryPlan {
        if let plan = try orderedPlan(running: isRun) ?? partlyOrderedPlan(running: isRun) {
            return plan
        }
        return try byEntries { try $0.plan(of: isRun, for: purpose, reading: read) }
    }

    private mutating func plan(
        of isRun: Bool, for purpose: PathPurpose, reading read: (ClassFields) -> FieldsRead?
    ) throws -> QueryPlan {
        var steps: [QueryPlan.Step] = []
        var matched = 0
        for (index, storedClass) in classes.enumerated() {
            let before = counts
            steps += try self.steps(
                of: index, running: isRun, for: purpose,
                reading: read(store.fields(of: storedClass)))
            matched += counts.matched - before.matched
        }
        steps += order(of: isRun ? matched : nil)
        return QueryPlan(steps: steps, objectsMade: isRun ? counts.objectsRead : nil)
    }

    /// The steps that find the objects of one class.
    private mutating func steps(
        of index: Int, running isRun: Bool, for purpose: PathPurpose = .records,
        reading read: FieldsRead?
    ) throws -> [QueryPlan.Step] {
        let storedClass = classes[index]
        let path = try accessPath(of: index, for: purpose, reading: read)
        var (found, examined): (Int?, Int?)
        if isRun {
            let before = counts
            try walk(to: index, by: path) { _ in true }
            examined = counts.examined - before.examined
            found = counts.matched - before.matched
        }
        var steps: [QueryPlan.Step]
        switch path {
        case .scan:
            let all = try store.countOfAll(storedClass)
            steps = [
                .init(
                    action: .scan(className: storedClass.name), estimatedRows: all, rows: examined)
            ]
        case .rows(let plan): steps = plan.steps(of: storedClass.name, rows: examined)
        case .entries(let scan): steps = [scan.step(rows: examined)]
        }
        if case .constant(true) = conditions[index] { return steps }
        steps.append(filterStep(of: index, rows: found))
        return steps
    }

    /// The steps that put the objects into groups of equal values of `key`.
    mutating func plan<Key>(
        grouping key: KeyPath<Object, Key>, reading read: (ClassFields) -> FieldsRead?
    ) throws -> QueryPlan {
        var steps: [QueryPlan.Step] = []
        for (index, storedClass) in classes.enumerated() {
            let fields = store.fields(of: storedClass)
            let wanted = read(fields)
            if let groups = try groupScan(of: index, by: key, reading: wanted) {
                steps.append(groups.scan.step(rows: nil))
                if !groups.scan.isExact { steps.append(filterStep(of: index, rows: nil)) }
                continue
            }
            var all = wanted
            let field = fields.field(at: key)
            if let field { all?.exactly.insert(field.index) } else { all = nil }
            steps += try self.steps(of: index, running: false, reading: all)
        }
        return QueryPlan(steps: steps, objectsMade: nil)
    }

    private func filterStep(of index: Int, rows: Int?) -> QueryPlan.Step {
        let condition = conditions[index]
        return QueryPlan.Step(
            action: .filter(
                condition: condition.description, makesObjects: condition.needsObject),
            estimatedRows: nil, rows: rows)
    }

    /// The plan by an index with the first columns of the query's order; `nil` if none is used.
    private mutating func partlyOrderedPlan(running isRun: Bool) throws -> QueryPlan? {
        guard let found = try partlyOrderedScan() else { return nil }
        let before = counts
        if isRun, try partlyOrderedMatches([MatchColumn()]) == nil { return nil }
        var steps = [
            QueryPlan.Step(
                action: .index(
                    name: found.scan.index.name, className: classes[0].name,
                    range: found.scan.limits.text, isInOrder: true), estimatedRows: nil,
                rows: isRun ? counts.examined - before.examined : nil)
        ]
        let matched = counts.matched - before.matched
        if case .constant(true) = conditions[0] {
        } else {
            steps.append(filterStep(of: 0, rows: isRun ? matched : nil))
        }
        return QueryPlan(
            steps: steps + order(of: isRun ? matched : nil),
            objectsMade: isRun ? counts.objectsRead : nil)
    }

    /// The plan by an index in the query's order; `nil` if none is used.
    private mutating func orderedPlan(running isRun: Bool) throws -> QueryPlan? {
        guard let scan = try orderedScan(onlyRows: false) else { return nil }
        let before = counts
        var given: Int?
        if isRun {
            guard let matches = try orderedMatches([MatchColumn()]) else { return nil }
            given = matches.places.count
        }
        let (examined, matched) = (
            counts.examined - before.examined, counts.matched - before.matched
        )
        var steps = [
            QueryPlan.Step(
                action: .index(
                    name: scan.index.name, className: classes[0].name, range: scan.limits.text,
                    isInOrder: true), estimatedRows: nil, rows: isRun ? examined : nil)
        ]
        if case .constant(true) = conditions[0] {
        } else {
            steps.append(filterStep(of: 0, rows: isRun ? matched : nil))
        }
        // What the walk has left out, and where it stopped.
        if query.offset > 0 {
            steps.append(.init(action: .offset(query.offset), estimatedRows: nil, rows: given))
        }
        if let limit = query.limit {
            steps.append(.init(action: .limit(limit), estimatedRows: nil, rows: given))
        }
        return QueryPlan(steps: steps, objectsMade: isRun ? counts.objectsRead : nil)
    }

    /// The steps behind the condition, which `matched` objects meet.
    private func order(of matched: Int?) -> [QueryPlan.Step] {
        var steps: [QueryPlan.Step] = []
        var rows = matched
        func add(_ action: QueryPlan.Step.Action) {
            steps.append(.init(action: action, estimatedRows: nil, rows: rows))
        }
        if !query.sortedBy.isEmpty, let first = classes.first {
            let fields = store.fields(of: first)
            if let bound = query.bound { rows = rows.map { min($0, bound) } }
            add(.sort(keys: query.sortedBy.map { $0.name(fields) }, keeping: query.bound))
        }
        if query.offset > 0 {
            rows = rows.map { max($0 - query.offset, 0) }
            add(.offset(query.offset))
        }
        if let limit = query.limit {
            rows = rows.map { min($0, max(limit, 0)) }
            add(.limit(limit))
        }
        return steps
    }
}

extension EntryScan {
    fileprivate func step(rows: Int?) -> QueryPlan.Step {
        QueryPlan.Step(
            action: .indexAlone(
                name: index.name, className: index.storedClass.name, range: limits.text),
            estimatedRows: count, rows: rows)
    }
}
