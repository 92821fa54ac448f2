import CabinetTextSearch

extension SearchRun {
    /// How the search was answered.
    /// - Parameters:
    ///   - query: the search.
    ///   - found: how many objects it found.
    ///   - shown: how many of these count.
    func plan(_ query: SearchQuery, found: Int, shown: Int) -> QueryPlan {
        var steps: [QueryPlan.Step] = []
        let names = texts.map(\.name)
        let matched = condition == nil ? found : nil
        steps.append(
            .init(
                action: usesIndexes
                    ? .search(indexes: names, query: query.text)
                    : .scan(className: storedClass.name),
                estimatedRows: nil, rows: narrowing?.searched ?? matched))
        if !usesIndexes {
            steps.append(
                .init(
                    action: .filter(
                        condition: "\(names.joined(separator: ", ")) matching \(query.text)",
                        makesObjects: false),
                    estimatedRows: nil, rows: matched))
        }
        if let narrowing {
            steps += narrowing.plan.steps(of: storedClass.name, rows: nil)
            steps.append(
                .init(action: .intersect(2), estimatedRows: nil, rows: narrowing.rows))
        }
        // What is pending, or is not in the index yet, is asked even where indexes name all other rows.
        if let condition {
            steps.append(
                .init(
                    action: .filter(
                        condition: condition.description, makesObjects: condition.needsObject),
                    estimatedRows: nil, rows: found))
        }
        if shown < found {
            steps.append(.init(action: .limit(shown), estimatedRows: nil, rows: shown))
        }
        return QueryPlan(steps: steps, objectsMade: nil)
    }
}
