import Foundation

extension StoreQuery {
    /// The objects put into groups of equal keys, and what `aggregates` make of each group: in ascending order
    /// of the keys.
    ///
    /// ```swift
    /// for (artist, (songs, seconds)) in try store.query(Song.self)
    ///     .groups(by: \.artist, .count, .sum(\.seconds))
    /// {
    ///     print(artist, songs, seconds)
    /// }
    /// ```
    /// - Throws: what ``objects()`` and the aggregates do.
    public func groups<Key: Hashable & Comparable, each Result>(
        by key: KeyPath<Object, Key>, _ aggregates: repeat Aggregate<Object, each Result>
    ) throws -> [(key: Key, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates)
            .sorted { totalOrder($0.key, $1.key) < 0 }
    }

    /// As ``groups(by:_:)-(KeyPath<Object,Key>,_)``, the group without a key first.
    public func groups<Key: Hashable & Comparable, each Result>(
        by key: KeyPath<Object, Key?>, _ aggregates: repeat Aggregate<Object, each Result>
    ) throws -> [(key: Key?, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates)
            .sorted { totalOrder($0.key, $1.key) < 0 }
    }

    /// The objects put into groups by the target of a relationship: in the order of the targets' classes and
    /// rows, the group without a target first.
    ///
    /// An index of the relationship, or one that begins with it, answers without an object being made of a
    /// record but of each target.
    /// - Throws: what ``objects()`` and the aggregates do.
    @_disfavoredOverload
    public func groups<Target: StoredObject, each Result>(
        by key: KeyPath<Object, Target?>, _ aggregates: repeat Aggregate<Object, each Result>
    ) throws -> [(key: Target?, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates)
            .sorted { TargetRow.isBefore($0.key, $1.key) }
    }

    private func unsortedGroups<Key: Hashable, each Result>(
        by key: KeyPath<Object, Key>, _ aggregates: repeat Aggregate<Object, each Result>
    ) throws -> [(key: Key, results: (repeat each Result))] {
        var run = try QueryRun(store, query)
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

    /// The different values of a property of the objects, in ascending order.
    /// - Throws: what ``objects()`` does.
    public func distinctValues<Value: Hashable & Comparable>(
        of keyPath: KeyPath<Object, Value>
    ) throws -> [Value] { try groups(by: keyPath).map { $0.key } }

    /// The different values of a property of the objects, `nil` first if there is one.
    /// - Throws: what ``objects()`` does.
    public func distinctValues<Value: Hashable & Comparable>(
        of keyPath: KeyPath<Object, Value?>
    ) throws -> [Value?] { try groups(by: keyPath).map { $0.key } }

    /// The different targets of a relationship of the objects, in the order of their classes and rows, `nil`
    /// first if an object has none.
    /// - Throws: what ``objects()`` does.
    @_disfavoredOverload
    public func distinctValues<Target: StoredObject>(
        of keyPath: KeyPath<Object, Target?>
    ) throws -> [Target?] { try groups(by: keyPath).map { $0.key } }
}

/// What is made of each group.
protocol GroupedResults: AnyObject {
    /// Whether nothing but the number of objects matters.
    var isCount: Bool { get }
    /// The next cursors are objects of another class.
    func turn(to fields: ClassFields)
    /// Adds a cursor to the group of that number, which is the next one at most.
    func add(_ cursor: RowCursor, to group: Int) throws
    /// Adds so many objects to a group, if ``isCount``.
    func add(_ count: Int, to group: Int)
}

private final class GroupColumn<Object: StoredObject, Result>: GroupedResults {
    private let aggregate: Aggregate<Object, Result>
    private var states: [AggregateState<Result>] = []
    private var adding: ((RowCursor, AggregateState<Result>) throws -> Void)?

    init(_ aggregate: Aggregate<Object, Result>) { self.aggregate = aggregate }

    var isCount: Bool { aggregate.addCount != nil }

    func turn(to fields: ClassFields) { adding = aggregate.adding(fields) }

    func add(_ cursor: RowCursor, to group: Int) throws {
        try adding?(cursor, state(of: group))
    }

    func add(_ count: Int, to group: Int) { aggregate.addCount?(count, state(of: group)) }

    private func state(of group: Int) -> AggregateState<Result> {
        while states.count <= group { states.append(aggregate.makeState()) }
        return states[group]
    }

    func result(of group: Int) -> Result { state(of: group).result }
}
