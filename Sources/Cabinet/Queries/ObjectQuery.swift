import CabinetTextSearch
import Foundation

/// What to fetch of a class: a condition, an order, and how much of it.
///
/// ```swift
/// let recent = ObjectQuery<Song>()
///     .filter(#Predicate { $0.year > 1960 && $0.rating >= 4 })
///     .sorted(by: .descending(\.rating), .ascending(\.title)).limit(20)
/// let songs = try store.fetch(recent)
/// print(try store.query(recent).explain())
/// ```
///
/// A query is no store's: make it once, and use it for any. See ``RefinableQuery`` for what it can be
/// made of. `Sendable`: a value whose closures are.
public struct ObjectQuery<Object: StoredObject>: RefinableQuery, Sendable {
    /// What the objects must meet.
    enum Criterion: Sendable {
        case everything
        case predicate(Predicate<Object>)
        case closure(@Sendable (Object) throws -> Bool)
        case text(QueryStatement)
        /// To be found by the search; `condition` asks that of the objects of a class.
        case search(
            SearchQuery, condition: @Sendable (Store, StoredClass) throws -> Condition)
        /// Both, the first one asked first.
        indirect case both(Criterion, Criterion)

        func and(_ other: Criterion) -> Criterion {
            switch (self, other) {
            case (.everything, _): other
            case (_, .everything): self
            default: .both(self, other)
            }
        }

        /// The condition for objects of the class of `fields`.
        func condition(_ fields: ClassFields, in store: Store) throws -> Condition {
            switch self {
            case .everything: .constant(true)
            case .predicate(let predicate): PredicateCompiler.condition(predicate, fields)
            case .closure(let body): .closure(body)
            case .text(let statement): try statement.condition(fields)
            case .search(_, let condition): try condition(store, fields.storedClass)
            case .both(let one, let other):
                try one.condition(fields, in: store).and(other.condition(fields, in: store))
            }
        }
    }

    var criterion: Criterion
    /// The order of the objects: by the first element, where that says they are equal by the next,
    /// and last by row.
    public var sortedBy: [ObjectOrder<Object>]
    /// How many objects at most; `nil` for all. A number below 0 counts as 0.
    public var limit: Int?
    /// How many objects to leave out at the front. A number below 0 counts as 0.
    public var offset: Int
    /// Whether objects of registered subclasses count: without an order they follow class by class,
    /// in the order of the classes' numbers. `false` unless the query says so: each class is a table with
    /// rows and indexes of its own.
    public var includesSubclasses: Bool
    /// Relationships whose objects are read with those that the query gives, many in one pass: paths of
    /// `@One` and `@Many` properties. What they lead to keeps its content as long as the program holds it,
    /// as after ``Store/prefetch(_:of:)``.
    public var prefetching: [PartialKeyPath<Object> & Sendable] = []

    init(
        _ criterion: Criterion, _ sortedBy: [ObjectOrder<Object>], _ limit: Int?, _ offset: Int,
        _ includesSubclasses: Bool
    ) {
        self.criterion = criterion
        self.sortedBy = sortedBy
        self.limit = limit
        self.offset = offset
        self.includesSubclasses = includesSubclasses
    }

    /// A query for the objects that meet `predicate`; for all without one.
    ///
    /// Any predicate that compiles will do. Comparisons of declared fields, and what is made of
    /// them by `&&`, `||`, `!`, `??`, ranges, `contains` and `starts(with:)`, are asked of records;
    /// for the rest of a predicate objects are made.
    public init(
        where predicate: Predicate<Object>? = nil, sortedBy: [ObjectOrder<Object>] = [],
        limit: Int? = nil, offset: Int = 0, includingSubclasses: Bool = false
    ) {
        // Without a closure, as every fetch makes a query.
        let criterion: Criterion
        if let predicate { criterion = .predicate(predicate) } else { criterion = .everything }
        self.init(criterion, sortedBy, limit, offset, includingSubclasses)
    }

    /// As ``init(where:sortedBy:limit:offset:includingSubclasses:)-(Predicate<Object>?,_,_,_,_)``,
    /// in the order of Foundation's descriptors, which ``ObjectOrder/init(_:)`` takes.
    @_disfavoredOverload
    public init(
        where predicate: Predicate<Object>? = nil, sortedBy: [SortDescriptor<Object>],
        limit: Int? = nil, offset: Int = 0, includingSubclasses: Bool = false
    ) {
        self.init(
            where: predicate, sortedBy: sortedBy.map { ObjectOrder($0) }, limit: limit,
            offset: offset, includingSubclasses: includingSubclasses)
    }

    /// A query for the objects of which `isIncluded` is true. It makes an object of every record.
    public init(
        where isIncluded: @escaping @Sendable (Object) throws -> Bool,
        sortedBy: [ObjectOrder<Object>] = [], limit: Int? = nil, offset: Int = 0,
        includingSubclasses: Bool = false
    ) {
        self.init(.closure(isIncluded), sortedBy, limit, offset, includingSubclasses)
    }

    /// The query itself.
    public var query: ObjectQuery {
        get { self }
        set { self = newValue }
    }

    /// How many objects the first `limit` ones behind `offset` can be among; `nil` for any number.
    var bound: Int? {
        guard let limit else { return nil }
        let (sum, overflows) = max(limit, 0).addingReportingOverflow(max(offset, 0))
        return overflows ? nil : sum
    }

    /// Whether not all that meets the condition counts.
    var isCut: Bool { limit != nil || offset > 0 }

    /// Which of `count` objects the query gives.
    func window(of count: Int) -> Range<Int> {
        let start = min(max(offset, 0), count)
        return start..<(limit.map { start + min(max($0, 0), count - start) } ?? count)
    }
}

extension Condition {
    /// What a closure says of the object.
    static func closure<Object: StoredObject>(
        _ body: @escaping (Object) throws -> Bool
    ) -> Condition {
        .expression(
            Expression(
                text: "a closure", needsObject: true,
                filter: ClosureFilter {
                    try body(unsafeDowncast(try $0.object(), to: Object.self))
                }))
    }
}
