extension Store {
    /// How ``fetch(_:)`` answers `query`.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - isRun: whether the condition is asked of all objects, so that the plan has real rows
    ///     beside estimated ones. That takes as long as counting them.
    /// - Throws: what ``fetch(_:)`` does, of reading if `isRun` only.
    public func explain<Object: StoredObject>(
        _ query: ObjectQuery<Object>, running isRun: Bool = true
    ) throws -> QueryPlan {
        var run = try QueryRun(self, query)
        return try run.plan(running: isRun)
    }
}
