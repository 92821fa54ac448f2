import CabinetTextSearch
import Foundation

extension Store {
    /// The objects of class `type` whose text in `property` matches `query`, best first.
    ///
    /// ```swift
    /// let songs = try store.search(Song.self, "choice", in: \.title).objects
    /// ```
    /// - Throws: ``StoreError/notSearchable(class:text:)`` if no text index is of the property; what a search in
    ///   all text indexes throws.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: String, in property: PartialKeyPath<Object>,
        where predicate: Predicate<Object>? = nil,
        orderedBy order: SearchOrder<Object> = .relevance, limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try search(
            type, try SearchQuery(query), in: property, named: nil, predicate, order, [:], limit,
            offset)
    }

    /// The objects of class `type` whose text in `property` matches a query that was made before.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: SearchQuery, in property: PartialKeyPath<Object>,
        where predicate: Predicate<Object>? = nil,
        orderedBy order: SearchOrder<Object> = .relevance, limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try search(type, query, in: property, named: nil, predicate, order, [:], limit, offset)
    }

    /// The objects of class `type` whose text in the text index `name` matches `query`, best first: also in a
    /// computed one, which no property has.
    ///
    /// ```swift
    /// let songs = try store.search(Song.self, "choice", inIndex: "everything").objects
    /// ```
    /// - Throws: ``StoreError/notSearchable(class:text:)`` if the class has no text index of that name; what a
    ///   search in all text indexes throws.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: String, inIndex name: String,
        where predicate: Predicate<Object>? = nil,
        orderedBy order: SearchOrder<Object> = .relevance, limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try search(
            type, try SearchQuery(query), in: nil, named: name, predicate, order, [:], limit, offset
        )
    }

    /// The objects of class `type` whose text in the text index `name` matches a query that was made before,
    /// such as one of what a person has typed.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: SearchQuery, inIndex name: String,
        where predicate: Predicate<Object>? = nil,
        orderedBy order: SearchOrder<Object> = .relevance, limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try search(type, query, in: nil, named: name, predicate, order, [:], limit, offset)
    }
}
