import CabinetTextSearch
import Foundation

extension Store {
    /// The objects of exactly class `type` whose texts match `query`, best first.
    ///
    /// ```swift
    /// for hit in try store.search(Song.self, #""blue train" OR col* NOT live"#, limit: 20) {
    ///     print(hit.score, hit.object.title, hit.snippet(in: \.lyrics).text)
    /// }
    /// ```
    /// - Parameters:
    ///   - type: the class.
    ///   - query: see ``SearchQuery``.
    ///   - property: whose text indexes are searched; `nil`: all of the class.
    ///   - predicate: what the objects must meet besides.
    ///   - limit: how many hits at most; `nil` for all.
    ///   - offset: how many hits to leave out at the front.
    /// - Throws: what ``StoreQuery/search(_:in:inIndex:orderedBy:weights:)-(String,_,_,_,_)`` does.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: String, in property: PartialKeyPath<Object>? = nil,
        where predicate: Predicate<Object>? = nil, limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try search(
            type, SearchQuery(query), in: property, where: predicate, limit: limit, offset: offset)
    }

    /// As ``search(_:_:in:where:limit:offset:)-(_,String,_,_,_,_)``, for a query that was made before, such as one
    /// of what a person has typed.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: SearchQuery, in property: PartialKeyPath<Object>? = nil,
        where predicate: Predicate<Object>? = nil, limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try self.query(ObjectQuery(where: predicate, limit: limit, offset: offset))
            .search(query, in: property)
    }
}
