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
    /// - Throws: what ``Store/fetch(_:)`` does.
    public func objects() throws -> [Object] { try store.fetch(query) }

    /// The first one of ``objects()``; `nil` if there is none.
    /// - Throws: what ``Store/fetch(_:)`` does.
    public func first() throws -> Object? { try store.first(query) }

    /// How many ``objects()`` gives, without making them. A closure or a computed property in a filter still
    /// makes an object of each record.
    /// - Throws: what ``Store/fetch(_:)`` does.
    public func count() throws -> Int { try store.count(query) }

    /// Whether ``objects()`` would give anything. Stops at the first object that settles it.
    /// - Throws: what ``Store/fetch(_:)`` does.
    public func exists() throws -> Bool { try store.exists(query) }

    /// How ``objects()`` is answered.
    /// - Parameter isRun: whether the query is run, so that each step has real rows beside estimated ones.
    ///   That takes about as long as the query. `false` gives estimates alone; a search is made in any case.
    /// - Throws: what ``Store/fetch(_:)`` does, of reading if `isRun` only.
    public func explain(running isRun: Bool = true) throws -> QueryPlan {
        try store.explain(query, running: isRun)
    }
}

extension Store {
    /// A query for the objects of exactly class `type`.
    public func query<Object: StoredObject>(_ type: Object.Type) -> StoreQuery<Object> {
        StoreQuery(store: self, query: ObjectQuery())
    }

    /// A query that was made without a store, to be run in this one.
    public func query<Object: StoredObject>(_ query: ObjectQuery<Object>) -> StoreQuery<Object> {
        StoreQuery(store: self, query: query)
    }
}
