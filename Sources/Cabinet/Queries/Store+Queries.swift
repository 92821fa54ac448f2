import Foundation

// The short forms of ``StoreQuery``.

extension Store {
    /// A query for the objects of exactly class `type`.
    public func query<Object: StoredObject>(_ type: Object.Type) -> StoreQuery<Object> {
        StoreQuery(store: self, query: ObjectQuery())
    }

    /// A query that was made without a store, to be run in this one.
    public func query<Object: StoredObject>(_ query: ObjectQuery<Object>) -> StoreQuery<Object> {
        StoreQuery(store: self, query: query)
    }

    /// The objects that `query` asks for, in its order, with their content.
    /// - Throws: what ``StoreQuery/objects()`` does.
    public func fetch<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> [Object] {
        try self.query(query).objects()
    }

    /// The objects of exactly class `type` that meet `predicate`, all without one.
    ///
    /// ```swift
    /// let songs = try store.fetch(
    ///     Song.self, where: #Predicate { $0.artist == "Coltrane" && $0.year > 1960 },
    ///     sortedBy: [.ascending(\.title)], limit: 20)
    /// ```
    /// - Throws: what ``StoreQuery/objects()`` does.
    public func fetch<Object: StoredObject>(
        _ type: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy: [ObjectOrder<Object>] = [], limit: Int? = nil, offset: Int = 0
    ) throws -> [Object] {
        try fetch(
            ObjectQuery(where: predicate, sortedBy: sortedBy, limit: limit, offset: offset))
    }

    /// How many objects of exactly class `type` meet `predicate`; how many there are without one.
    /// - Throws: what ``StoreQuery/objects()`` does.
    public func count<Object: StoredObject>(
        of type: Object.Type, where predicate: Predicate<Object>? = nil
    ) throws -> Int { try query(ObjectQuery(where: predicate)).count() }
}
