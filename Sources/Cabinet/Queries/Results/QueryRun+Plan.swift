extension QueryRun {
    /// The steps that answer the query. The rows are those of a run, if it ran.
    mutating func plan(running isRun: Bool) throws -> QueryPlan {
        var steps: [QueryPlan.Step] = []
        var matched = 0
        for (index, storedClass) in classes.enumerated() {
            let all = try store.countOfAll(storedClass)
            let path = try accessPath(of: index)
            var found: Int?
            var examined: Int?
            if isRun {
                let before = counts
                try walk(to: index, by: path) { _ in true }
                examined = counts.examined - before.examined
                found = counts.matched - before.matched
                matched += found ?? 0
            }
            switch path {
            case .scan:
                steps.append(
                    .init(
                        action: .scan(className: storedClass.name), estimatedRows: all,
                        rows: examined))
            case .index(let scan):
                steps.append(
                    .init(
                        action: .index(
                            name: scan.index.name, className: storedClass.name, range: scan.text),
                        estimatedRows: scan.estimatedRows, rows: examined))
            }
            if case .constant(true) = conditions[index] { continue }
            let condition = conditions[index]
            steps.append(
                .init(
                    action: .filter(
                        condition: condition.description, makesObjects: condition.needsObject),
                    estimatedRows: nil, rows: found))
        }
        steps += order(of: isRun ? matched : nil)
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
