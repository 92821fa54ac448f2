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
        where predicate: Predicate<Object>? = nil
    ) throws -> [(key: Key, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates, where: predicate)
            .sorted { totalOrder($0.key, $1.key) < 0 }
    }

    /// As ``groups(_:by:_:where:)-(_,KeyPath<Object,Key>,_,_)``, the group without a key first.
    public func groups<Object: StoredObject, Key: Hashable & Comparable, each Result>(
        _ type: Object.Type, by key: KeyPath<Object, Key?>,
        _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>? = nil
    ) throws -> [(key: Key?, results: (repeat each Result))] {
        try unsortedGroups(by: key, repeat each aggregates, where: predicate)
            .sorted { totalOrder($0.key, $1.key) < 0 }
    }

    private func unsortedGroups<Object: StoredObject, Key: Hashable, each Result>(
        by key: KeyPath<Object, Key>, _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>?
    ) throws -> [(key: Key, results: (repeat each Result))] {
        var run = try QueryRun(self, ObjectQuery(where: predicate))
        var groups: [Key: (repeat AggregateState<each Result>)] = [:]
        var read: ((Candidate) throws -> Key)?
        var adding: (repeat (Candidate, AggregateState<each Result>) throws -> Void)?
        try run.forEachMatch { fields, _ in
            read = ValueSource(key, fields).read
            adding = (repeat (each aggregates).adding(fields))
        } _: { candidate in
            guard let read, let adding else { return true }
            let value = try read(candidate)
            let states: (repeat AggregateState<each Result>)
            if let known = groups[value] {
                states = known
            } else {
                states = (repeat (each aggregates).makeState())
                groups[value] = states
            }
            repeat try (each adding)(candidate, each states)
            return true
        }
        return groups.map { (key: $0.key, results: (repeat (each $0.value).result)) }
    }

    /// The different values of a property among the objects that meet `predicate`, in ascending
    /// order.
    /// - Throws: what ``fetch(_:)`` does.
    public func distinctValues<Object: StoredObject, Value: Hashable & Comparable>(
        of keyPath: KeyPath<Object, Value>, where predicate: Predicate<Object>? = nil
    ) throws -> [Value] { try groups(Object.self, by: keyPath, where: predicate).map { $0.key } }

    /// The different values of a property among the objects that meet `predicate`, `nil` first if
    /// there is one.
    /// - Throws: what ``fetch(_:)`` does.
    public func distinctValues<Object: StoredObject, Value: Hashable & Comparable>(
        of keyPath: KeyPath<Object, Value?>, where predicate: Predicate<Object>? = nil
    ) throws -> [Value?] { try groups(Object.self, by: keyPath, where: predicate).map { $0.key } }
}
