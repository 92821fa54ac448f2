import CabinetBackend
import Foundation

// Queries: what is in memory counts as it is, and pending changes too. Inserted objects are in,
// deleted ones are out.

extension Store {
    /// The objects that `query` asks for, in its order, with their content.
    ///
    /// Uses an index where one saves work, as ``explain(_:running:)-(ObjectQuery<Object>,_)`` shows; otherwise
    /// reads every record of the class. Makes objects of what it gives alone, unless the condition needs
    /// objects. With a limit, it keeps no more than some times as many rows in memory.
    /// - Throws: ``StoreError/classNotRegistered(_:)``, ``StoreError/closed``; what
    ///   the predicate or the closure throws; why a record cannot be read of which an object must be
    ///   made; a ``BackendError``.
    public func fetch<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> [Object] {
        let found = try fetchAlone(query)
        try prefetch(query, of: found)
        return found
    }

    /// Reads what the relationships lead to that `query` names.
    func prefetch<Object: StoredObject>(
        _ query: ObjectQuery<Object>, of found: [Object]
    ) throws {
        for relation in query.prefetching where !found.isEmpty {
            _ = try prefetchTargets(of: found) { $0.targets(of: relation) }
        }
    }

    /// What ``fetch(_:)`` gives, without what relationships lead to.
    private func fetchAlone<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> [Object] {
        if case .everything = query.criterion, query.sortedBy.isEmpty, query.bound == nil,
            query.offset <= 0
        {
            return try objects(of: Object.self, includingSubclasses: query.includesSubclasses)
        }
        if let found = try pointFetch(query) { return found }
        var run = try QueryRun(self, query)
        return try run.objects()
    }

    /// The objects of class `type` that meet `predicate`, all without one. As ``fetch(_:)`` of an
    /// ``ObjectQuery``.
    ///
    /// ```swift
    /// let songs = try store.fetch(
    ///     Song.self, where: #Predicate { $0.artist == "Coltrane" && $0.year > 1960 },
    ///     sortedBy: [.ascending(\.title)], limit: 20)
    /// ```
    public func fetch<Object: StoredObject>(
        _ type: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy: [ObjectOrder<Object>] = [], limit: Int? = nil, offset: Int = 0,
        includingSubclasses: Bool = false,
        prefetching: [PartialKeyPath<Object> & Sendable] = []
    ) throws -> [Object] {
        var query = ObjectQuery(
            where: predicate, sortedBy: sortedBy, limit: limit, offset: offset,
            includingSubclasses: includingSubclasses)
        query.prefetching = prefetching
        return try fetch(query)
    }

    /// The objects of class `type` that meet `predicate`, in the order of Foundation's descriptors,
    /// as ``ObjectOrder/init(_:)`` takes them. As ``fetch(_:)`` of an ``ObjectQuery``.
    @_disfavoredOverload
    public func fetch<Object: StoredObject>(
        _ type: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy: [SortDescriptor<Object>], limit: Int? = nil, offset: Int = 0,
        includingSubclasses: Bool = false,
        prefetching: [PartialKeyPath<Object> & Sendable] = []
    ) throws -> [Object] {
        try fetch(
            type, where: predicate, sortedBy: sortedBy.map { ObjectOrder($0) }, limit: limit,
            offset: offset, includingSubclasses: includingSubclasses, prefetching: prefetching)
    }

    /// The objects of class `type` of which `isIncluded` is true.
    ///
    /// Makes an object of every record to ask the closure: a predicate is faster. In the closure
    /// objects may be edited; `save()`, undo, redo and `close()` throw ``StoreError/enumerating``.
    /// - Throws: what `isIncluded` throws, and what ``fetch(_:)`` does.
    public func fetch<Object: StoredObject>(
        _ type: Object.Type, where isIncluded: (Object) throws -> Bool,
        sortedBy: [ObjectOrder<Object>] = [], limit: Int? = nil, offset: Int = 0,
        includingSubclasses: Bool = false
    ) throws -> [Object] {
        let query = ObjectQuery<Object>(
            sortedBy: sortedBy, limit: limit, offset: offset,
            includingSubclasses: includingSubclasses)
        return try withoutActuallyEscaping(isIncluded) { isIncluded in
            var run = try QueryRun(self, query) { _ in .closure(isIncluded) }
            return try run.objects()
        }
    }

    /// How many objects ``fetch(_:)`` would give, without making them. A closure or a computed property in the
    /// condition still makes an object of each record.
    /// - Throws: what ``fetch(_:)`` does.
    public func count<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> Int {
        var run = try QueryRun(self, query)
        return query.window(of: try run.countMatches()).count
    }

    /// How many objects of class `type` meet `predicate`; how many there are without one.
    /// - Throws: what ``fetch(_:)`` does.
    public func count<Object: StoredObject>(
        of type: Object.Type, where predicate: Predicate<Object>?, includingSubclasses: Bool = false
    ) throws -> Int {
        try count(ObjectQuery(where: predicate, includingSubclasses: includingSubclasses))
    }

    /// The first object that ``fetch(_:)`` would give; `nil` if there is none.
    /// - Throws: what ``fetch(_:)`` does.
    public func first<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> Object? {
        var query = query
        query.limit = min(query.limit ?? 1, 1)
        return try fetch(query).first
    }

    /// The first object of class `type` that meets `predicate`, in the given order and then by row.
    /// - Throws: what ``fetch(_:)`` does.
    public func first<Object: StoredObject>(
        _ type: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy: [ObjectOrder<Object>] = [], includingSubclasses: Bool = false
    ) throws -> Object? {
        try first(
            ObjectQuery(
                where: predicate, sortedBy: sortedBy, includingSubclasses: includingSubclasses))
    }

    /// Whether ``fetch(_:)`` would give anything. Stops at the first object that settles it.
    /// - Throws: what ``fetch(_:)`` does.
    public func exists<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> Bool {
        if let limit = query.limit, limit <= 0 { return false }
        var run = try QueryRun(self, query)
        return try run.exists(behind: max(query.offset, 0))
    }

    /// Whether some object of class `type` meets `predicate`. Stops at the first one.
    /// - Throws: what ``fetch(_:)`` does.
    public func exists<Object: StoredObject>(
        _ type: Object.Type, where predicate: Predicate<Object>, includingSubclasses: Bool = false
    ) throws -> Bool {
        try exists(ObjectQuery(where: predicate, includingSubclasses: includingSubclasses))
    }
}

extension StoredObject {
    /// The objects that a relationship leads to; none for another property.
    fileprivate func targets<Owner: StoredObject>(
        of relation: PartialKeyPath<Owner>
    ) -> [StoredObject] {
        guard let owner = self as? Owner else { return [] }
        let value = owner[keyPath: relation]
        if let target = value as? StoredObject { return [target] }
        guard let targets = value as? any Sequence else { return [] }
        return targets.compactMap { $0 as? StoredObject }
    }
}
