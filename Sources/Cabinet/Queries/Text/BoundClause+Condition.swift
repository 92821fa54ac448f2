extension QueryStatement {
    /// The condition for objects of the class of `fields`.
    func condition(_ fields: ClassFields) throws(QuerySyntaxError) -> Condition {
        try bind(fields.names) { fields.rawField(named: $0)?.type }.condition(fields)
    }
}

extension BoundClause {
    /// The condition for objects of the class of `fields`, which it was checked against.
    func condition(_ fields: ClassFields) -> Condition {
        switch self {
        case .all(let parts): .every(parts.map { $0.condition(fields) })
        case .any(let parts): .some(parts.map { $0.condition(fields) })
        case .not(let part): part.condition(fields).negated
        case .constant(let value): .constant(value)
        case .test(let test): test.condition(fields)
        }
    }
}

extension BoundTest {
    fileprivate func condition(_ fields: ClassFields) -> Condition {
        if case .relation(let relation) = kind, let field = fields.field(named: field),
            let test = FieldTest.make(field, relation, operand)
        {
            return .test(test)
        }
        guard let raw = fields.rawField(named: field) else { return .constant(false) }
        return .expression(
            .init(
                text: text, needsObject: !fields.areReadable,
                filter: ClosureFilter { candidate in
                    holds(
                        try candidate.readBytes(raw) { try raw.type.readCompared(from: $0) })
                }, limit: limit(fields)))
    }

    private func limit(_ fields: ClassFields) -> FieldLimit? {
        guard case .beginsWith = kind, case .text(let beginning) = operand,
            let field = fields.field(named: field)
        else { return nil }
        return FieldLimit(field: field, kind: .beginning(beginning), isWhole: false)
    }

    /// The test for a reader.
    var text: String {
        switch kind {
        case .relation(let relation): "\(field) \(relation.rawValue) \(operand.queryText)"
        case .beginsWith: "\(field) begins with \(operand.queryText)"
        case .contains: "\(field) contains \(operand.queryText)"
        }
    }
}

extension FieldValue {
    /// As a plan shows it.
    var queryText: String {
        switch self {
        case .none: "nil"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .largeInteger(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let value): value.debugDescription
        case .date(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .url(let value): "\(value)"
        case .decimal(let value): "\(value)"
        default: "a value"
        }
    }
}

extension FieldTest {
    /// A comparison with a value of a query in text, if a field of that type can hold just that
    /// value, and code knows the type.
    static func make(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ operand: FieldValue
    ) -> FieldTest? {
        var type = field.form.valueType
        if let optional = type as? any OptionalValue.Type {
            type = optional.wrappedType
            if type == String.self, case .text(let text) = operand {
                return .make(field, relation, text as String?) { _, _ in false }
            }
            let making = ExactMaking(
                field: field, relation: relation, value: operand, isOptional: true)
            return withFixedType(type, making).flatMap { $0 }
        }
        if type == String.self, case .text(let text) = operand {
            return .make(field, relation, text) { _, _ in false }
        }
        let making = ExactMaking(
            field: field, relation: relation, value: operand, isOptional: false)
        return withFixedType(type, making).flatMap { $0 }
    }
}

private struct ExactMaking: FixedValueBody {
    let field: ClassFields.Field
    let relation: FieldRelation
    let value: FieldValue
    let isOptional: Bool

    func run<Value: FixedValue>(_ type: Value.Type) -> FieldTest? {
        if isOptional, value == .none {
            // Nothing is before or after a missing value.
            guard relation == .equal || relation == .notEqual else { return nil }
            return .make(field, relation, Value?.none) { _, _ in false }
        }
        guard let exact = Value.exactly(value) else { return nil }
        return isOptional
            ? .make(field, relation, exact as Value?) { _, _ in false }
            : .make(field, relation, exact) { _, _ in false }
    }
}
