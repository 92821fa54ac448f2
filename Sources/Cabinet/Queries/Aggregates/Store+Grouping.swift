import Foundation

extension Store {
    /// The objects of class `type` that meet `predicate`, put into groups of equal keys, and what
    /// `aggregates` make of each group: in ascending order of the keys.
    ///
    /// ```swift
    /// for (artist, (songs, seconds)) in try store.groups(Song.self, by: \.artist, .count, .sum(\.seconds)) {
    ///     print(artist, songs, seconds)
    /// }
    /// ```
    /// - Throws: what ``fetch(_:)`` and the aggregates do.
    public func groups<Object: StoredObject, Key: Hashable & Comparable, each Result>(
        _ type: Object.Type, by key: KeyPath<Object, Key>,
        _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>? = nil, includingSubclasses: Bool = false
    ) throws -> [(key: Key, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates, where: predicate, includingSubclasses)
            .sorted { totalOrder($0.key, $1.key) < 0 }
    }

    /// As ``groups(_:by:_:where:includingSubclasses:)-(_,KeyPath<Object,Key>,_,_,_)``, the group without a key first.
    public func groups<Object: StoredObject, Key: Hashable & Comparable, each Result>(
        _ type: Object.Type, by key: KeyPath<Object, Key?>,
        _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>? = nil, includingSubclasses: Bool = false
    ) throws -> [(key: Key?, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates, where: predicate, includingSubclasses)
            .sorted { totalOrder($0.key, $1.key) < 0 }
    }

    /// The objects of class `type` that meet `predicate`, put into groups by the target of a relationship: in
    /// the order of the targets' classes and rows, the group without a target first.
    ///
    /// An index of the relationship, or one that begins with it, answers without an object being made of a
    /// record but of each target.
    /// - Throws: what ``fetch(_:)`` and the aggregates do.
    @_disfavoredOverload
    public func groups<Object: StoredObject, Target: StoredObject, each Result>(
        _ type: Object.Type, by key: KeyPath<Object, Target?>,
        _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>? = nil, includingSubclasses: Bool = false
    ) throws -> [(key: Target?, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates, where: predicate, includingSubclasses)
            .sorted { TargetRow.isBefore($0.key, $1.key) }
    }

    private func unsortedGroups<Object: StoredObject, Key: Hashable, each Result>(
        by key: KeyPath<Object, Key>, _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>?, _ includingSubclasses: Bool
    ) throws -> [(key: Key, results: (repeat each Result))] {
        var run = try QueryRun(
            self, ObjectQuery(where: predicate, includingSubclasses: includingSubclasses))
        return try run.replanning { run in
            let keys = GroupKeys(key)
            let columns = (repeat GroupColumn(each aggregates))
            var list: [any GroupedResults] = []
            for column in repeat each columns { list.append(column) }
            try run.forEachGroup(
                keys, by: key,
                reading: { Self.fieldsRead($0, repeat each aggregates) }, list)
            return keys.keys().enumerated().map { index, key in
                (key: key, results: (repeat (each columns).result(of: index)))
            }
        }
    }

    /// The different values of a property among the objects that meet `predicate`, in ascending
    /// order.
    /// - Throws: what ``fetch(_:)`` does.
    public func distinctValues<Object: StoredObject, Value: Hashable & Comparable>(
        of keyPath: KeyPath<Object, Value>, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> [Value] {
        try groups(
            Object.self, by: keyPath, where: predicate, includingSubclasses: includingSubclasses
        ).map { $0.key }
    }

    /// The different values of a property among the objects that meet `predicate`, `nil` first if
    /// there is one.
    /// - Throws: what ``fetch(_:)`` does.
    public func distinctValues<Object: StoredObject, Value: Hashable & Comparable>(
        of keyPath: KeyPath<Object, Value?>, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> [Value?] {
        try groups(
            Object.self, by: keyPath, where: predicate, includingSubclasses: includingSubclasses
        ).map { $0.key }
    }

    /// The different targets of a relationship of the objects that meet `predicate`, in the order of their
    /// classes and rows, `nil` first if an object has none.
    /// - Throws: what ``fetch(_:)`` does.
    @_disfavoredOverload
    public func distinctValues<Object: StoredObject, Target: StoredObject>(
        of keyPath: KeyPath<Object, Target?>, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> [Target?] {
        try groups(
            Object.self, by: keyPath, where: predicate, includingSubclasses: includingSubclasses
        ).map { $0.key }
    }
}

/// What is made of each group.
protocol GroupedResults: AnyObject {
    /// Whether nothing but the number of objects matters.
    var isCount: Bool { get }
    /// The next candidates are objects of another class.
    func turn(to fields: ClassFields)
    /// Adds a candidate to the group of that number, which is the next one at most.
    func add(_ candidate: Candidate, to group: Int) throws
    /// Adds so many objects to a group, if ``isCount``.
    func add(_ count: Int, to group: Int)
}

private final class GroupColumn<Object: StoredObject, Result>: GroupedResults {
    private let aggregate: Aggregate<Object, Result>
    private var states: [AggregateState<Result>] = []
    private var adding: ((Candidate, AggregateState<Result>) throws -> Void)?

    init(_ aggregate: Aggregate<Object, Result>) { self.aggregate = aggregate }

    var isCount: Bool { aggregate.addCount != nil }

    func turn(to fields: ClassFields) { adding = aggregate.adding(fields) }

    func add(_ candidate: Candidate, to group: Int) throws {
        try adding?(candidate, state(of: group))
    }

    func add(_ count: Int, to group: Int) { aggregate.addCount?(count, state(of: group)) }

    private func state(of group: Int) -> AggregateState<Result> {
        while states.count <= group { states.append(aggregate.makeState()) }
        return states[group]
    }

    func result(of group: Int) -> Result { state(of: group).result }
}
