/// A query and the store that answers it.
///
/// ```swift
/// let songs = try store.query(Song.self)
///     .filter(#Predicate { $0.artist == "Coltrane" && $0.year > 1960 })
///     .sorted(by: \.title).limit(20).objects()
/// ```
///
/// ``RefinableQuery`` has the steps that say what is asked. Nothing is read before one of the calls that
/// give something, and each of them reads anew. What is in memory counts as it is, and pending changes too:
/// inserted objects are in, deleted ones are out.
///
/// Not `Sendable`: it belongs to the isolation domain of its store. Its ``query`` can go anywhere.
public struct StoreQuery<Object: StoredObject>: RefinableQuery {
    /// The store.
    public let store: Store
    /// What is asked.
    public var query: ObjectQuery<Object>

    /// The objects, in the order of the query, with their content.
    ///
    /// Uses an index where one saves work, as ``explain(running:)`` shows; otherwise
    /// reads every record of the class. Makes objects of what it gives alone, unless the condition needs
    /// objects. With a limit, it keeps no more than some times as many rows in memory.
    /// - Throws: ``StoreError/classNotRegistered(_:)``, ``StoreError/closed``; what
    ///   a predicate or a closure throws; ``QuerySyntaxError`` for a condition in text that names a field
    ///   which the class does not declare; why a record cannot be read of which an object must be
    ///   made; a ``BackendError``.
    public func objects() throws -> [Object] {
        let found = try objectsAlone()
        try store.prefetch(query, of: found)
        return found
    }

    /// The objects without what relationships lead to.
    private func objectsAlone() throws -> [Object] {
        if case .everything = query.criterion, query.sortedBy.isEmpty, !query.isCut {
            guard query.includesSubclasses else { return try store.objects(of: Object.self) }
            try store.checkOpen()
            return try store.classesByNumber.compactMap { $0?.type as? Object.Type }
                .flatMap { try store.objects(of: $0) }
        }
        if let found = try store.pointFetch(query) { return found }
        var run = try QueryRun(store, query)
        return try run.objects()
    }

    /// The first one of ``objects()``; `nil` if there is none.
    /// - Throws: what ``objects()`` does.
    public func first() throws -> Object? {
        try limit(Swift.min(query.limit ?? 1, 1)).objects().first
    }

    /// How many ``objects()`` gives, without making them. A closure or a computed property in a filter still
    /// makes an object of each record.
    /// - Throws: what ``objects()`` does.
    public func count() throws -> Int {
        var run = try QueryRun(store, query)
        return query.window(of: try run.countMatches()).count
    }

    /// Whether ``objects()`` would give anything. Stops at the first object that settles it.
    /// - Throws: what ``objects()`` does.
    public func exists() throws -> Bool {
        if let limit = query.limit, limit <= 0 { return false }
        var run = try QueryRun(store, query)
        return try run.exists(behind: max(query.offset, 0))
    }
}

extension Store {
    /// Reads what the relationships lead to that `query` names.
    func prefetch<Object: StoredObject>(
        _ query: ObjectQuery<Object>, of found: [Object]
    ) throws {
        for relation in query.prefetching where !found.isEmpty {
            try prefetch(found.flatMap { $0.targets(of: relation) }.eachOnce())
        }
    }
}

extension StoredObject {
    /// The objects that a relationship leads to; none for another property.
    func targets<Owner: StoredObject>(
        of relation: PartialKeyPath<Owner>
    ) -> [StoredObject] {
        guard let owner = self as? Owner else { return [] }
        return (owner[keyPath: relation] as? any RelationshipValue)?.relatedObjects ?? []
    }
}
