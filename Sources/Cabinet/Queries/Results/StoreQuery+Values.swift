import CabinetBackend
import Foundation

extension StoreQuery {
    /// The objects in sections of one value each: in ascending order of the values, and within a section in
    /// the order of the query, then by row. Limit and offset count over all sections.
    ///
    /// ```swift
    /// for section in try store.query(Song.self).sorted(by: \.title).sections(by: \.artist) {
    ///     print(section.key, section.objects.count)
    /// }
    /// ```
    /// - Throws: what ``objects()`` does.
    public func sections<Key: Comparable & SendableMetatype>(
        by key: KeyPath<Object, Key> & Sendable
    ) throws -> [ObjectSection<Key, Object>] {
        try sections(by: key, .ascending(key)) { totalOrder($0, $1) == 0 }
    }

    /// The objects in sections of one value each, as for a property that always has a value; the section
    /// without one comes first.
    /// - Throws: what ``objects()`` does.
    public func sections<Key: Comparable & SendableMetatype>(
        by key: KeyPath<Object, Key?> & Sendable
    ) throws -> [ObjectSection<Key?, Object>] {
        try sections(by: key, .ascending(key)) { totalOrder($0, $1) == 0 }
    }

    private func sections<Key>(
        by key: KeyPath<Object, Key>, _ order: ObjectOrder<Object>, areEqual: (Key, Key) -> Bool
    ) throws -> [ObjectSection<Key, Object>] {
        var query = query
        query.sortedBy.insert(order, at: 0)
        var run = try QueryRun(store, query)
        let (keys, objects) = (ValueColumn(key), ObjectColumn())
        _ = try run.matches([keys, objects])
        // All are of the class.
        let found = unsafeBitCast(objects.objects, to: [Object].self)
        try store.prefetch(query, of: found)
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

    /// The rows of the objects, without making them.
    ///
    /// Rows are numbers within one class, so objects of subclasses are left out.
    /// - Throws: what ``objects()`` does.
    public func rowIDs() throws -> [RowID] {
        var query = query
        query.includesSubclasses = false
        var run = try QueryRun(store, query)
        return try run.matches().places.map(\.row)
    }

    /// A property of the objects, in the order of the query, without making the objects if it is a declared
    /// field.
    /// - Throws: what ``objects()`` does.
    public func values<Value>(_ keyPath: KeyPath<Object, Value> & Sendable) throws -> [Value] {
        let column = ValueColumn(keyPath as KeyPath<Object, Value>)
        var run = try QueryRun(store, query)
        _ = try run.matches([column])
        return column.values
    }

    /// Some properties of the objects, in the order of the query, without making the objects if all of the
    /// properties are declared fields.
    ///
    /// ```swift
    /// for (title, year) in try store.query(query).values(\.title, \.year) { print(title, year) }
    /// ```
    /// - Throws: what ``objects()`` does.
    public func values<each Value>(
        _ keyPaths: repeat KeyPath<Object, each Value>
    ) throws -> [(repeat each Value)] {
        let columns = (repeat ValueColumn(each keyPaths))
        var list: [MatchColumn] = []
        for column in repeat each columns { list.append(column) }
        var run = try QueryRun(store, query)
        let count = try run.matches(list).places.count
        return (0..<count).map { index in (repeat (each columns).values[index]) }
    }
}
