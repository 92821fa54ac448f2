import Foundation

extension StoreQuery {
    /// What `aggregates` make of the objects, in one pass.
    ///
    /// ```swift
    /// let (songs, seconds) = try store.query(Song.self).aggregate(.count, .sum(\.seconds))
    /// ```
    /// With a limit or an offset the first objects in the order of the query count, which are read one by one.
    /// - Throws: what ``objects()`` and the aggregates do.
    public func aggregate<each Result>(
        _ aggregates: repeat Aggregate<Object, each Result>
    ) throws -> (repeat each Result) {
        var run = try QueryRun(store, query)
        return try run.replanning { run in
            let states = (repeat (each aggregates).makeState())
            var countAll: [(Int) -> Void]? = []
            for (aggregate, state) in repeat (each aggregates, each states) {
                guard let add = aggregate.addCount else {
                    countAll = nil
                    break
                }
                countAll?.append { add($0, state) }
            }
            if let countAll {
                let count = query.window(of: try run.countMatches()).count
                for add in countAll { add(count) }
                return (repeat (each states).result)
            }
            var adding: [(RowCursor) throws -> Void] = []
            try run.forEachMatch { fields in
                Self.fieldsRead(fields, repeat each aggregates)
            } turn: { fields, _ in
                adding = []
                for (aggregate, state) in repeat (each aggregates, each states) {
                    let add = aggregate.adding(fields)
                    adding.append { try add($0, state) }
                }
            } _: { cursor in
                for add in adding { try add(cursor) }
                return true
            }
            return (repeat (each states).result)
        }
    }

    /// Which fields aggregates read; `nil` if one may read others than declared ones.
    static func fieldsRead<each Result>(
        _ fields: ClassFields, _ aggregates: repeat Aggregate<Object, each Result>
    ) -> FieldsRead? {
        var found = FieldsRead()
        for aggregate in repeat each aggregates {
            guard let read = aggregate.read(fields) else { return nil }
            found.formUnion(read)
        }
        return found
    }

    /// The sum of a property of the objects; of none, 0. As ``Aggregate/sum(_:)``.
    /// - Throws: ``QueryError/sumOverflow``; what ``objects()`` does.
    public func sum<Value: SummableValue & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) throws -> Value.Sum { try aggregate(.sum(keyPath)) }

    /// The mean of a property of the objects; `nil` if there are no values.
    /// - Throws: as ``sum(_:)``.
    public func average<Value: SummableValue & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) throws -> Double? { try aggregate(.average(keyPath)) }

    /// The least value of a property of the objects; `nil` if there is none. NaN counts as greater
    /// than every number.
    ///
    /// One look-up if an index begins with the property, else a pass over the objects.
    /// - Throws: what ``objects()`` does.
    public func minimum<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) throws -> Value? {
        if let found = try extreme(keyPath, .ascending(keyPath)) { return found.first }
        return try aggregate(.min(keyPath))
    }

    /// The least value that is not `nil`.
    public func minimum<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable
    ) throws -> Value? {
        let found = try extreme(keyPath, .ascending(keyPath)) { field in
            FieldTest.make(field, .notEqual, Value?.none, !=)
        }
        if let found { return found.first ?? nil }
        return try aggregate(.min(keyPath))
    }

    /// The greatest value of a property of the objects; `nil` if there is none. NaN counts as greater
    /// than every number. Costs and throws as `minimum` does.
    public func maximum<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) throws -> Value? {
        if let found = try extreme(keyPath, .descending(keyPath)) { return found.first }
        return try aggregate(.max(keyPath))
    }

    /// The greatest value that is not `nil`.
    public func maximum<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable
    ) throws -> Value? {
        if let found = try extreme(keyPath, .descending(keyPath)) { return found.first ?? nil }
        return try aggregate(.max(keyPath))
    }

    /// The value of the first object in that order, if there is one; `nil` if no index has the order, or not
    /// all objects count.
    ///
    /// - Parameter test: what else is asked of the field.
    private func extreme<Value>(
        _ keyPath: KeyPath<Object, Value>, _ order: ObjectOrder<Object>,
        _ test: (ClassFields.Field) -> FieldTest? = { _ in nil }
    ) throws -> [Value]? {
        guard !query.isCut else { return nil }
        var query = query
        (query.sortedBy, query.limit) = ([order], 1)
        var run = try QueryRun(store, query) { fields in
            let condition = try query.criterion.condition(fields, in: store)
            guard let test = fields.field(at: keyPath).flatMap(test) else { return condition }
            return condition.and(.test(test))
        }
        let column = ValueColumn(keyPath)
        guard let scan = try run.orderedScan(onlyRows: false), scan.isWhole else { return nil }
        do { _ = try run.matches(by: .ordered(scan), [column]) } catch is OrderedWalk.Unusable {
            return nil
        }
        return column.values
    }

    /// The texts of a property of the objects, in the order of the query.
    /// - Throws: what ``objects()`` does.
    public func joined(
        _ keyPath: KeyPath<Object, String> & Sendable, separator: String = ", "
    ) throws -> String { try values(keyPath).joined(separator: separator) }
}
