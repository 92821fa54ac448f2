extension Condition {
    /// How the value of an optional field, or `fallback` where there is none, compares with a constant;
    /// `nil` if that is not known of values of the type.
    static func coalescing<Value>(
        _ field: ClassFields.Field, _ fallback: Value, _ relation: FieldRelation, _ operand: Value
    ) -> Condition? {
        guard let holds = relation.holds(between: Value.self),
            let test = FieldTest.make(
                field, relation, Value?.some(operand),
                { one, other in
                    guard let one, let other else { return relation == .notEqual }
                    return holds(one, other)
                }),
            let hasNone = FieldTest.make(field, .equal, Value?.none, { one, _ in one == nil }),
            let hasSome = FieldTest.make(field, .notEqual, Value?.none, { one, _ in one != nil })
        else { return nil }
        if holds(fallback, operand) { return .any([.test(test), .test(hasNone)]) }
        return relation == .notEqual ? .all([.test(hasSome), .test(test)]) : .test(test)
    }
}

extension Condition {
    /// How a field, optional or not, compares with a constant; `nil` if that is not known of values of
    /// the type.
    static func comparing<Value>(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ operand: Value
    ) -> Condition? {
        guard let holds = relation.holds(between: Value.self) else { return nil }
        if field.form.valueType == Value.self {
            return FieldTest.make(field, relation, operand, holds).map(Condition.test)
        }
        return FieldTest.make(field, relation, Value?.some(operand)) { one, other in
            guard let one, let other else { return relation == .notEqual }
            return holds(one, other)
        }.map(Condition.test)
    }
}

extension FieldRelation {
    /// Whether two values of a type stand so to each other; `nil` for a type that has no such relation.
    func holds<Value>(between type: Value.Type) -> ((Value, Value) -> Bool)? {
        if let type = type as? any Comparable.Type {
            return holds(inOrderOf: type) as? (Value, Value) -> Bool
        }
        guard self == .equal || self == .notEqual, let type = type as? any Equatable.Type else {
            return nil
        }
        return holds(equating: type) as? (Value, Value) -> Bool
    }

    private func holds<Value: Comparable>(inOrderOf type: Value.Type) -> Any {
        { (one: Value, other: Value) -> Bool in holds(inOrder: one, other) }
    }

    private func holds<Value: Equatable>(equating type: Value.Type) -> Any {
        { (one: Value, other: Value) -> Bool in (one == other) == (self == .equal) }
    }
}
