/// What a query in text asks, checked against the fields of one class.
indirect enum BoundClause: Sendable {
    case all([BoundClause])
    case any([BoundClause])
    case not(BoundClause)
    case constant(Bool)
    case test(BoundTest)

    /// Whether a record meets it whose fields have the values that `value` gives.
    func accepts(_ value: (String) -> FieldValue) -> Bool {
        switch self {
        case .all(let parts): parts.allSatisfy { $0.accepts(value) }
        case .any(let parts): parts.contains { $0.accepts(value) }
        case .not(let part): !part.accepts(value)
        case .constant(let constant): constant
        case .test(let test): test.holds(value(test.field))
        }
    }
}

/// A test of one field.
struct BoundTest: Sendable {
    enum Kind: Sendable {
        case relation(FieldRelation)
        case beginsWith, contains
    }

    let field: String
    let kind: Kind
    /// Of a kind that values of the field, or its elements, can be compared with.
    let operand: FieldValue

    /// Whether `value` meets it.
    func holds(_ value: FieldValue) -> Bool {
        switch kind {
        case .relation(let relation): holds(relation, value)
        case .beginsWith:
            if case .text(let text) = value, case .text(let start) = operand {
                text.hasPrefix(start)
            } else {
                false
            }
        case .contains:
            switch (value, operand) {
            // Foundation's `contains` finds no empty text, Swift's own does.
            case (.text(let text), .text(let part)): part.isEmpty || text.contains(part)
            case (.list(let elements), _): elements.contains { $0.order(to: operand) == 0 }
            default: false
            }
        }
    }

    private func holds(_ relation: FieldRelation, _ value: FieldValue) -> Bool {
        let order = value.order(to: operand)
        return switch relation {
        case .equal: order == 0
        case .notEqual: order != 0
        // Nothing is before or after a missing value, nor is that itself.
        case _ where value == .none || operand == .none: false
        case .less: order.map { $0 < 0 } ?? false
        case .lessOrEqual: order.map { $0 <= 0 } ?? false
        case .greater: order.map { $0 > 0 } ?? false
        case .greaterOrEqual: order.map { $0 >= 0 } ?? false
        }
    }
}

extension QueryStatement {
    /// Checks the names and kinds of values.
    ///
    /// - Parameters:
    ///   - known: the fields of the class.
    ///   - type: the type of a field; `nil` for none of that name.
    func bind(
        _ known: [String], type: (String) -> FieldType?
    ) throws(QuerySyntaxError) -> BoundClause {
        for order in order {
            let found = try find(order.name, known, type)
            if found.comparedScalar == nil { throw notComparable(order.name, found) }
        }
        return try bind(clause, known, type)
    }

    private func bind(
        _ clause: Clause, _ known: [String], _ type: (String) -> FieldType?
    ) throws(QuerySyntaxError) -> BoundClause {
        switch clause {
        case .all(let parts): return .all(try bind(parts, known, type))
        case .any(let parts): return .any(try bind(parts, known, type))
        case .not(let part): return .not(try bind(part, known, type))
        case .constant(let value): return .constant(value)
        case .truth(let name):
            let found = try find(name, known, type)
            guard found.comparedScalar == .bool else { throw notComparable(name, found) }
            return .test(
                BoundTest(field: name.text, kind: .relation(.equal), operand: .bool(true)))
        case .comparison(let name, let relation, let operand):
            let found = try find(name, known, type)
            guard let value = found.comparedScalar?.operand(operand.value) else {
                throw notComparable(name, found, at: operand)
            }
            return .test(BoundTest(field: name.text, kind: .relation(relation), operand: value))
        case .beginsWith(let name, let operand):
            let found = try find(name, known, type)
            guard found.comparedScalar == .string, case .text = operand.value else {
                throw notComparable(name, found, at: operand)
            }
            return .test(BoundTest(field: name.text, kind: .beginsWith, operand: operand.value))
        case .contains(let name, let operand):
            let found = try find(name, known, type)
            let scalar = found.elementScalar ?? (found.comparedScalar == .string ? .string : nil)
            guard let value = scalar?.operand(operand.value), value != .none else {
                throw notComparable(name, found, at: operand)
            }
            return .test(BoundTest(field: name.text, kind: .contains, operand: value))
        }
    }

    private func bind(
        _ parts: [Clause], _ known: [String], _ type: (String) -> FieldType?
    ) throws(QuerySyntaxError) -> [BoundClause] {
        var bound: [BoundClause] = []
        for part in parts { bound.append(try bind(part, known, type)) }
        return bound
    }

    private func find(
        _ name: Name, _ known: [String], _ type: (String) -> FieldType?
    ) throws(QuerySyntaxError) -> FieldType {
        guard let found = type(name.text) else {
            throw error(.unknownField(name.text, known: known), at: name.position)
        }
        return found
    }

    private func notComparable(
        _ name: Name, _ type: FieldType, at operand: Operand? = nil
    ) -> QuerySyntaxError {
        error(
            .notComparable(field: name.text, type: "\(type)"),
            at: operand?.position ?? name.position)
    }
}
