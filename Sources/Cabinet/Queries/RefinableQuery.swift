import Foundation

/// A query that says step by step which objects it is about: ``ObjectQuery``, which has no store, and
/// ``StoreQuery``, which can be run.
///
/// ```swift
/// let modern = ObjectQuery<Song>().filter(#Predicate { $0.year > 1960 }).sorted(by: \.title)
/// let best = try store.query(modern).filter(#Predicate { $0.rating == 5 }).limit(20).objects()
/// ```
///
/// Each step gives a query of its own, and leaves the one before as it was.
public protocol RefinableQuery<Object> {
    /// The class whose objects it is about.
    associatedtype Object: StoredObject
    /// What is asked, without a store.
    var query: ObjectQuery<Object> { get set }
}

extension RefinableQuery {
    func with(_ change: (inout ObjectQuery<Object>) -> Void) -> Self {
        var copy = self
        change(&copy.query)
        return copy
    }

    /// The objects that meet `predicate` besides: a further filter is one more condition, and `nil` is none.
    ///
    /// Any predicate that compiles will do. Comparisons of declared fields, and what is made of
    /// them by `&&`, `||`, `!`, `??`, ranges, `contains` and `starts(with:)`, are asked of records;
    /// for the rest of a predicate objects are made.
    public func filter(_ predicate: Predicate<Object>?) -> Self {
        guard let predicate else { return self }
        return with { $0.criterion = $0.criterion.and(.predicate(predicate)) }
    }

    /// The objects of which `isIncluded` is true besides. It is asked of an object, which a run makes of each
    /// record that the filters before leave: a predicate is faster.
    ///
    /// In the closure objects may be edited; `save()`, undo, redo and `close()` throw
    /// ``StoreError/enumerating``. What it throws, the run throws.
    public func filter(_ isIncluded: @escaping @Sendable (Object) throws -> Bool) -> Self {
        with { $0.criterion = $0.criterion.and(.closure(isIncluded)) }
    }

    /// In ascending order of a property; objects with equal values in the orders added before or behind, and
    /// last by row.
    public func sorted<Value: Comparable & SendableMetatype>(
        by keyPath: KeyPath<Object, Value> & Sendable
    ) -> Self { sorted(by: .ascending(keyPath)) }

    /// In ascending order of a property, `nil` first.
    public func sorted<Value: Comparable & SendableMetatype>(
        by keyPath: KeyPath<Object, Value?> & Sendable
    ) -> Self { sorted(by: .ascending(keyPath)) }

    /// By the first of `orders`, where that says objects are equal by the next, and last by row. Orders
    /// of an earlier call go before.
    public func sorted(by orders: ObjectOrder<Object>...) -> Self { sorted(by: orders) }

    /// By the first of `orders`, where that says objects are equal by the next, and last by row. Orders
    /// of an earlier call go before.
    public func sorted(by orders: [ObjectOrder<Object>]) -> Self { with { $0.sortedBy += orders } }

    /// In the order of Foundation's descriptors, as ``ObjectOrder/init(_:)`` takes them.
    @_disfavoredOverload
    public func sorted(by descriptors: [SortDescriptor<Object>]) -> Self {
        sorted(by: descriptors.map { ObjectOrder($0) })
    }

    /// So many objects at most, in place of an earlier limit; `nil` for all. Below 0 counts as 0.
    public func limit(_ count: Int?) -> Self { with { $0.limit = count } }

    /// Without so many objects at the front, in place of an earlier offset. Below 0 counts as 0.
    public func offset(_ count: Int) -> Self { with { $0.offset = count } }

    /// Whether objects of registered subclasses count: without an order they follow class by class,
    /// in the order of the classes' numbers. Unless a query says so they do not: each class is a table with
    /// rows and indexes of its own.
    public func includingSubclasses(_ areIncluded: Bool = true) -> Self {
        with { $0.includesSubclasses = areIncluded }
    }

    /// With what relationships lead to, which is read with the objects, many in one pass: paths of `@One` and
    /// `@Many` properties. It keeps its content as long as the program holds it.
    public func prefetching(_ relations: (PartialKeyPath<Object> & Sendable)...) -> Self {
        with { $0.prefetching += relations }
    }
}
