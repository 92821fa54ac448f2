import Foundation

extension Store {
    /// What `aggregates` make of the objects of class `type` that meet `predicate`, in one pass.
    ///
    /// ```swift
    /// let (songs, seconds) = try store.aggregate(Song.self, .count, .sum(\.seconds))
    /// ```
    /// - Parameters:
    ///   - type: the class.
    ///   - aggregates: what is to be found out.
    ///   - predicate: which objects count; `nil`: all.
    ///   - includingSubclasses: whether objects of registered subclasses count, here and in all calls of the
    ///     kind.
    /// - Throws: what ``fetch(_:)`` and the aggregates do.
    public func aggregate<Object: StoredObject, each Result>(
        _ type: Object.Type, _ aggregates: repeat Aggregate<Object, each Result>,
        where predicate: Predicate<Object>? = nil, includingSubclasses: Bool = false
    ) throws -> (repeat each Result) {
        var run = try QueryRun(
            self, ObjectQuery(where: predicate, includingSubclasses: includingSubclasses))
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
                let count = try run.countMatches()
                for add in countAll { add(count) }
                return (repeat (each states).result)
            }
            var adding: [(Candidate) throws -> Void] = []
            try run.forEachMatch { fields in
                Self.fieldsRead(fields, repeat each aggregates)
            } turn: { fields, _ in
                adding = []
                for (aggregate, state) in repeat (each aggregates, each states) {
                    let add = aggregate.adding(fields)
                    adding.append { try add($0, state) }
                }
            } _: { candidate in
                for add in adding { try add(candidate) }
                return true
            }
            return (repeat (each states).result)
        }
    }

    /// Which fields aggregates read; `nil` if one may read others than declared ones.
    static func fieldsRead<Object: StoredObject, each Result>(
        _ fields: ClassFields, _ aggregates: repeat Aggregate<Object, each Result>
    ) -> FieldsRead? {
        var found = FieldsRead()
        for aggregate in repeat each aggregates {
            guard let read = aggregate.read(fields) else { return nil }
            found.formUnion(read)
        }
        return found
    }

    /// The sum of a property of the objects that meet `predicate`; of none, 0. As
    /// ``Aggregate/sum(_:)``.
    /// - Throws: ``QueryError/sumOverflow``; what ``fetch(_:)`` does.
    public func sum<Object: StoredObject, Value: SummableValue & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> Value.Sum {
        try aggregate(
            Object.self, .sum(keyPath), where: predicate, includingSubclasses: includingSubclasses)
    }

    /// The mean of a property of the objects that meet `predicate`; `nil` if there are no values.
    /// - Throws: as `sum`.
    public func average<Object: StoredObject, Value: SummableValue & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> Double? {
        try aggregate(
            Object.self, .average(keyPath), where: predicate,
            includingSubclasses: includingSubclasses)
    }

    /// The least value of a property among the objects that meet `predicate`; `nil` if there is
    /// none. NaN counts as greater than every number.
    ///
    /// One look-up if an index begins with the property, else a pass over what meets the predicate.
    /// - Throws: what ``fetch(_:)`` does.
    public func minimum<Object: StoredObject, Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> Value? {
        if let found = try extreme(
            keyPath, .ascending(keyPath), predicate, includingSubclasses, { _ in nil })
        {
            return found.first
        }
        return try aggregate(
            Object.self, .min(keyPath), where: predicate, includingSubclasses: includingSubclasses)
    }

    /// The least value that is not `nil`.
    public func minimum<Object: StoredObject, Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> Value? {
        let found = try extreme(keyPath, .ascending(keyPath), predicate, includingSubclasses) {
            field in
            FieldTest.make(field, .notEqual, Value?.none, !=)
        }
        if let found { return found.first ?? nil }
        return try aggregate(
            Object.self, .min(keyPath), where: predicate, includingSubclasses: includingSubclasses)
    }

    /// The greatest value of a property among the objects that meet `predicate`; `nil` if there is
    /// none. NaN counts as greater than every number. Costs and throws as `minimum` does.
    public func maximum<Object: StoredObject, Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> Value? {
        if let found = try extreme(
            keyPath, .descending(keyPath), predicate, includingSubclasses, { _ in nil })
        {
            return found.first
        }
        return try aggregate(
            Object.self, .max(keyPath), where: predicate, includingSubclasses: includingSubclasses)
    }

    /// The greatest value that is not `nil`.
    public func maximum<Object: StoredObject, Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false
    ) throws -> Value? {
        let found = try extreme(
            keyPath, .descending(keyPath), predicate, includingSubclasses, { _ in nil })
        if let found { return found.first ?? nil }
        return try aggregate(
            Object.self, .max(keyPath), where: predicate, includingSubclasses: includingSubclasses)
    }

    /// The value of the first object in that order, if there is one; `nil` if no index has the order.
    ///
    /// - Parameter test: what else is asked of the field.
    private func extreme<Object: StoredObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ order: ObjectOrder<Object>,
        _ predicate: Predicate<Object>?, _ includingSubclasses: Bool,
        _ test: (ClassFields.Field) -> FieldTest?
    ) throws -> [Value]? {
        let query = ObjectQuery(
            where: predicate, sortedBy: [order], limit: 1, includingSubclasses: includingSubclasses)
        var run = try QueryRun(self, query) { fields in
            let condition = try query.criterion.condition(fields, in: self)
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

    /// The texts of a property of the objects that meet `predicate`, in the order of rows.
    public func joined<Object: StoredObject>(
        _ keyPath: KeyPath<Object, String> & Sendable, separator: String = ", ",
        where predicate: Predicate<Object>? = nil, includingSubclasses: Bool = false
    ) throws -> String {
        try aggregate(
            Object.self, .joined(keyPath, separator: separator), where: predicate,
            includingSubclasses: includingSubclasses)
    }
}
