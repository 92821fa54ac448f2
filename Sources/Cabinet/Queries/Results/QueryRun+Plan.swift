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
        try replanning { run in
            switch try run.sourcePlan(for: purpose, reading: read) {
            case .ordered(let scan): try run.plan(by: scan, running: isRun)
            case .classes(let paths): try run.plan(by: paths, running: isRun)
            }
        }
    }

    private mutating func plan(by paths: [AccessPath], running isRun: Bool) throws -> QueryPlan {
        var steps = goingBack
        for (index, path) in paths.enumerated() {
            steps += try self.steps(of: index, by: path, running: isRun)
        }
        steps += order(of: isRun ? counts.matched : nil)
        return QueryPlan(steps: steps, objectsMade: isRun ? counts.objectsRead : nil)
    }

    private var goingBack: [QueryPlan.Step] {
        guard store.isPast else { return [] }
        return [QueryPlan.Step(action: .goBack(store.basis), estimatedRows: nil, rows: nil)]
    }

    /// The steps that find the objects of one class.
    private mutating func steps(
        of index: Int, by path: AccessPath, running isRun: Bool
    ) throws -> [QueryPlan.Step] {
        let storedClass = classes[index]
        var (found, examined): (Int?, Int?)
        if isRun {
            (found, examined) = try withSource(by: path, of: index) { source in
                try source.forEachMatch { _ in true }
                return (source.matched, source.examined)
            }
        }
        let steps =
            switch path {
            case .scan:
                [
                    QueryPlan.Step(
                        action: .scan(className: storedClass.name),
                        estimatedRows: try store.countOfAll(storedClass), rows: examined)
                ]
            case .rows(let plan): plan.steps(of: storedClass.name, rows: examined)
            case .entries(let scan): [scan.step(rows: examined)]
            }
        return steps + filterSteps(of: index, rows: found)
    }

    /// The plan by an index with the first orders of the query.
    private mutating func plan(by scan: OrderedScan, running isRun: Bool) throws -> QueryPlan {
        let given =
            isRun ? try matches(by: .ordered(scan), [MatchColumn()]).places.count : nil
        var steps = [
            QueryPlan.Step(
                action: .index(
                    name: scan.index.name, className: classes[0].name, range: scan.limits.text,
                    isInOrder: true), estimatedRows: nil, rows: isRun ? counts.examined : nil)
        ]
        steps += filterSteps(of: 0, rows: isRun ? counts.matched : nil)
        if scan.isWhole {
            // What the walk has left out, and where it stopped.
            steps += window(behindOffset: given, given: given)
        } else {
            steps += order(of: isRun ? counts.matched : nil)
        }
        return QueryPlan(steps: steps, objectsMade: isRun ? counts.objectsRead : nil)
    }

    /// The steps that put the objects into groups of equal values of `key`.
    mutating func plan<Key>(
        grouping key: KeyPath<Object, Key>, reading read: (ClassFields) -> FieldsRead?
    ) throws -> QueryPlan {
        var steps = goingBack
        for (index, storedClass) in classes.enumerated() {
            let fields = store.fields(of: storedClass)
            let wanted = read(fields)
            if let groups = try groupScan(of: index, by: key, reading: wanted) {
                steps.append(groups.scan.step(rows: nil))
                if !groups.scan.isExact { steps += filterSteps(of: index, rows: nil) }
                continue
            }
            var all = wanted
            let field = fields.field(at: key)
            if let field { all?.exactly.insert(field.index) } else { all = nil }
            let path = try accessPath(of: index, reading: all)
            steps += try self.steps(of: index, by: path, running: false)
        }
        return QueryPlan(steps: steps, objectsMade: nil)
    }

    /// The step that asks the condition of one class, if there is one.
    private func filterSteps(of index: Int, rows: Int?) -> [QueryPlan.Step] {
        let condition = conditions[index]
        if case .constant(true) = condition { return [] }
        return [
            QueryPlan.Step(
                action: .filter(
                    condition: condition.description, makesObjects: condition.needsObject),
                estimatedRows: nil, rows: rows)
        ]
    }

    /// The steps behind the condition, which `matched` objects meet.
    private func order(of matched: Int?) -> [QueryPlan.Step] {
        var steps: [QueryPlan.Step] = []
        var rows = matched
        if !query.sortedBy.isEmpty, let first = classes.first {
            let fields = store.fields(of: first)
            if let bound = query.bound { rows = rows.map { min($0, bound) } }
            let names = query.sortedBy.map { $0.name(fields) }
            steps.append(
                .init(
                    action: .sort(keys: names, keeping: query.bound), estimatedRows: nil,
                    rows: rows))
        }
        return steps
            + window(
                behindOffset: rows.map { max($0 - max(query.offset, 0), 0) },
                given: rows.map { query.window(of: $0).count })
    }

    /// The steps of offset and limit, with the rows that they leave.
    private func window(behindOffset: Int?, given: Int?) -> [QueryPlan.Step] {
        var steps: [QueryPlan.Step] = []
        if query.offset > 0 {
            steps.append(
                .init(action: .offset(query.offset), estimatedRows: nil, rows: behindOffset))
        }
        if let limit = query.limit {
            steps.append(.init(action: .limit(limit), estimatedRows: nil, rows: given))
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
