import Foundation

extension FieldTest {
    /// A comparison with `operand`, by code that knows the type, or by `compare` for other types.
    static func make<Value>(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ operand: Value,
        _ compare: @escaping (Value, Value) -> Bool
    ) -> FieldTest? {
        guard field.form.valueType == Value.self, let form = field.form as? ValueForm<Value> else {
            return nil
        }
        let filter =
            fastFilter(field, relation, operand)
            ?? ClosureFilter { compare(try $0.read(field, form), operand) }
        return FieldTest(field: field, relation: relation, operand: operand, filter: filter)
    }

    /// A comparison of a relationship to one with a target, or with none.
    static func target(
        _ field: ClassFields.Field, _ form: TargetForm, isEqual: Bool, _ operand: TargetRow?
    ) -> FieldTest {
        FieldTest(
            field: field, relation: isEqual ? .equal : .notEqual, operand: operand as Any,
            filter: ClosureFilter { cursor in
                guard form.mayDangle, let operand else {
                    return (try cursor.target(field, form) == operand) == isEqual
                }
                // Of few records, whether their target is there must be asked.
                let isIt = try cursor.writtenTarget(field, form) == operand
                return (isIt && !cursor.isGone(operand, form)) == isEqual
            })
    }

    /// A comparison by code that knows the type of the values; `nil` for types that it does not
    /// know.
    private static func fastFilter<Value>(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ operand: Value
    ) -> Filter? {
        if Value.self == String.self, let text = operand as? String {
            return TextFilter(field, relation, text, optional: false)
        }
        if let type = Value.self as? any OptionalValue.Type {
            let operand = (operand as? any OptionalValue)?.wrappedValue
            if type.wrappedType == String.self {
                return TextFilter(field, relation, operand as? String, optional: true)
            }
            return withFixedType(
                type.wrappedType, OptionalMaking(field: field, relation: relation, value: operand))
        }
        return withFixedType(
            Value.self, Making(field: field, relation: relation, value: operand)
        ).flatMap { $0 }
    }
}

private struct Making: FixedValueBody {
    let field: ClassFields.Field
    let relation: FieldRelation
    let value: Any

    func run<Value: FixedValue>(_ type: Value.Type) -> Filter? {
        guard let value = value as? Value else { return nil }
        return FieldFilters.fixed(field, relation, value)
    }
}

private struct OptionalMaking: FixedValueBody {
    let field: ClassFields.Field
    let relation: FieldRelation
    let value: Any?

    func run<Value: FixedValue>(_ type: Value.Type) -> Filter {
        FieldFilters.optional(field, relation, value as? Value)
    }
}
