import Foundation

extension Store {
    /// How ``fetch(_:)`` answers `query`.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - isRun: whether the query is run, so that each step has real rows beside estimated ones. That takes
    ///     about as long as the query. `false` gives estimates alone.
    /// - Throws: what ``fetch(_:)`` does, of reading if `isRun` only.
    public func explain<Object: StoredObject>(
        _ query: ObjectQuery<Object>, running isRun: Bool = true
    ) throws -> QueryPlan {
        var run = try QueryRun(self, query)
        return try run.plan(running: isRun)
    }

    /// How `values` answers `query`: from an index alone, if that has all of the properties and
    /// what the condition looks at beside its ranges. Runs the query unless `isRun` is `false`.
    /// - Throws: what ``explain(_:running:)`` does.
    public func explainValues<Object: StoredObject, each Value>(
        _ keyPaths: repeat KeyPath<Object, each Value>,
        of query: ObjectQuery<Object> = ObjectQuery(), running isRun: Bool = true
    ) throws -> QueryPlan {
        var columns: [MatchColumn] = []
        for path in repeat each keyPaths { columns.append(ValueColumn(path)) }
        var run = try QueryRun(self, query)
        return try run.plan(running: isRun) { FieldsRead(query.sortedBy, columns, $0) }
    }

    /// How ``aggregate(_:_:where:includingSubclasses:)`` answers. Runs it unless `isRun` is `false`.
    /// - Throws: what ``explain(_:running:)`` does.
    public func explainAggregate<Object: StoredObject, each Result>(
        _ type: Object.Type, _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>? = nil, includingSubclasses: Bool = false,
        running isRun: Bool = true
    ) throws -> QueryPlan {
        var isCount = true
        for aggregate in repeat each aggregates {
            isCount = isCount && aggregate.addCount != nil
        }
        var run = try QueryRun(
            self, ObjectQuery(where: predicate, includingSubclasses: includingSubclasses))
        return try run.plan(running: isRun, for: isCount ? .count : .records) {
            Self.fieldsRead($0, repeat each aggregates)
        }
    }

    /// How ``groups(_:by:_:where:includingSubclasses:)-(_,KeyPath<Object,Key>,_,_,_)`` answers; without any aggregates, how
    /// `distinctValues` does.
    /// - Throws: what ``fetch(_:)`` does, but not of reading.
    public func explainGroups<Object: StoredObject, Key, each Result>(
        _ type: Object.Type, by key: KeyPath<Object, Key>,
        _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>? = nil, includingSubclasses: Bool = false
    ) throws -> QueryPlan {
        var run = try QueryRun(
            self, ObjectQuery(where: predicate, includingSubclasses: includingSubclasses))
        return try run.plan(grouping: key) { Self.fieldsRead($0, repeat each aggregates) }
    }
}
