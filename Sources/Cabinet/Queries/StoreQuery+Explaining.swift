extension StoreQuery {
    /// How ``objects()`` is answered.
    /// - Parameter isRun: whether the query is run, so that each step has real rows beside estimated ones.
    ///   That takes about as long as the query. `false` gives estimates alone; a search is made in any case.
    /// - Throws: what ``objects()`` does, of reading if `isRun` only.
    public func explain(running isRun: Bool = true) throws -> QueryPlan {
        var run = try QueryRun(store, query)
        return try run.plan(running: isRun)
    }

    /// How `values` is answered: from an index alone, if that has all of the properties and
    /// what the condition looks at beside its ranges. Runs the query unless `isRun` is `false`.
    /// - Throws: what ``explain(running:)`` does.
    public func explainValues<each Value>(
        _ keyPaths: repeat KeyPath<Object, each Value>, running isRun: Bool = true
    ) throws -> QueryPlan {
        var columns: [MatchColumn] = []
        for path in repeat each keyPaths { columns.append(ValueColumn(path)) }
        var run = try QueryRun(store, query)
        return try run.plan(running: isRun) { FieldsRead(query.sortedBy, columns, $0) }
    }

    /// How ``aggregate(_:)`` is answered. Runs it unless `isRun` is `false`.
    /// - Throws: what ``explain(running:)`` does.
    public func explainAggregate<each Result>(
        _ aggregates: repeat Aggregate<Object, each Result>, running isRun: Bool = true
    ) throws -> QueryPlan {
        var isCount = true
        for aggregate in repeat each aggregates {
            isCount = isCount && aggregate.addCount != nil
        }
        var run = try QueryRun(store, query)
        return try run.plan(running: isRun, for: isCount ? .count : .records) {
            Self.fieldsRead($0, repeat each aggregates)
        }
    }

    /// How ``groups(by:_:)-(KeyPath<Object,Key>,_)`` is answered; without any aggregates, how
    /// `distinctValues` is.
    /// - Throws: what ``objects()`` does, but not of reading.
    public func explainGroups<Key, each Result>(
        by key: KeyPath<Object, Key>, _ aggregates: repeat Aggregate<Object, each Result>
    ) throws -> QueryPlan {
        var run = try QueryRun(store, query)
        return try run.plan(grouping: key) { Self.fieldsRead($0, repeat each aggregates) }
    }
}
