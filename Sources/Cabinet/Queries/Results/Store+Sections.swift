import CabinetBackend
import Foundation

extension Store {
    /// The objects of class `type` that meet `predicate`, in sections of one value each: in ascending
    /// order of the values, and within a section in the given order, then by row.
    ///
    /// ```swift
    /// for section in try store.sections(Song.self, by: \.artist, sortedBy: [.ascending(\.title)]) {
    ///     print(section.key, section.objects.count)
    /// }
    /// ```
    /// - Throws: what ``fetch(_:)`` does.
    public func sections<Object: StoredObject, Key: Comparable & SendableMetatype>(
        _ type: Object.Type, by key: KeyPath<Object, Key> & Sendable,
        sortedBy: [ObjectOrder<Object>] = [], where predicate: Predicate<Object>? = nil
    ) throws -> [ObjectSection<Key, Object>] {
        try sections(by: key, [.ascending(key)] + sortedBy, predicate) { totalOrder($0, $1) == 0 }
    }

    /// The objects of class `type` that meet `predicate`, in sections of one value each, as for a
    /// property that always has a value; the section without one comes first.
    /// - Throws: what ``fetch(_:)`` does.
    public func sections<Object: StoredObject, Key: Comparable & SendableMetatype>(
        _ type: Object.Type, by key: KeyPath<Object, Key?> & Sendable,
        sortedBy: [ObjectOrder<Object>] = [], where predicate: Predicate<Object>? = nil
    ) throws -> [ObjectSection<Key?, Object>] {
        try sections(by: key, [.ascending(key)] + sortedBy, predicate) { totalOrder($0, $1) == 0 }
    }

    /// The objects of class `type` that meet `predicate`, in sections of one value each, in the order of
    /// Foundation's descriptors within a section. See ``ObjectOrder/init(_:)``.
    /// - Throws: what ``fetch(_:)`` does.
    @_disfavoredOverload
    public func sections<Object: StoredObject, Key: Comparable & SendableMetatype>(
        _ type: Object.Type, by key: KeyPath<Object, Key> & Sendable,
        sortedBy: [SortDescriptor<Object>], where predicate: Predicate<Object>? = nil
    ) throws -> [ObjectSection<Key, Object>] {
        try sections(type, by: key, sortedBy: sortedBy.map { ObjectOrder($0) }, where: predicate)
    }

    /// Likewise, for a property that may have no value; the section without one comes first.
    /// - Throws: what ``fetch(_:)`` does.
    @_disfavoredOverload
    public func sections<Object: StoredObject, Key: Comparable & SendableMetatype>(
        _ type: Object.Type, by key: KeyPath<Object, Key?> & Sendable,
        sortedBy: [SortDescriptor<Object>], where predicate: Predicate<Object>? = nil
    ) throws -> [ObjectSection<Key?, Object>] {
        try sections(type, by: key, sortedBy: sortedBy.map { ObjectOrder($0) }, where: predicate)
    }

    private func sections<Object: StoredObject, Key>(
        by key: KeyPath<Object, Key>, _ order: [ObjectOrder<Object>],
        _ predicate: Predicate<Object>?, areEqual: (Key, Key) -> Bool
    ) throws -> [ObjectSection<Key, Object>] {
        var run = try QueryRun(self, ObjectQuery(where: predicate, sortedBy: order))
        let (keys, objects) = (ValueColumn(key), ObjectColumn())
        _ = try run.matches([keys, objects])
        // All are of the class.
        let found = unsafeBitCast(objects.objects, to: [Object].self)
        var sections: [ObjectSection<Key, Object>] = []
        var start = 0
        for index in keys.values.indices {
            let end = index + 1
            if end < keys.values.count, areEqual(keys.values[start], keys.values[end]) { continue }
            sections.append(
                ObjectSection(key: keys.values[start], objects: Array(found[start..<end])))
            start = end
        }
        return sections
    }

    /// The rows of the objects that ``fetch(_:)`` would give, without making them.
    ///
    /// Rows are numbers within one class, so objects of subclasses are left out.
    /// - Throws: what ``fetch(_:)`` does.
    public func rowIDs<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> [RowID] {
        var query = query
        query.includesSubclasses = false
        var run = try QueryRun(self, query)
        return try run.matches().places.map(\.row)
    }

    /// A property of the objects that ``fetch(_:)`` would give, in its order, without making the objects
    /// if it is a declared field.
    /// - Throws: what ``fetch(_:)`` does.
    public func values<Object: StoredObject, Value>(
        _ keyPath: KeyPath<Object, Value> & Sendable,
        of query: ObjectQuery<Object> = ObjectQuery()
    ) throws -> [Value] {
        let column = ValueColumn(keyPath as KeyPath<Object, Value>)
        var run = try QueryRun(self, query)
        _ = try run.matches([column])
        return column.values
    }

    /// Some properties of the objects that ``fetch(_:)`` would give, in its order, without making
    /// the objects if all of the properties are declared fields.
    ///
    /// ```swift
    /// for (title, year) in try store.values(\Song.title, \.year, of: query) { print(title, year) }
    /// ```
    /// - Throws: what ``fetch(_:)`` does.
    public func values<Object: StoredObject, each Value>(
        _ keyPaths: repeat KeyPath<Object, each Value>,
        of query: ObjectQuery<Object> = ObjectQuery()
    ) throws -> [(repeat each Value)] {
        let columns = (repeat ValueColumn(each keyPaths))
        var list: [MatchColumn] = []
        for column in repeat each columns { list.append(column) }
        var run = try QueryRun(self, query)
        let count = try run.matches(list).places.count
        return (0..<count).map { index in (repeat (each columns).values[index]) }
    }
}
