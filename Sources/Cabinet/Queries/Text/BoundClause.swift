import CabinetTextSearch

/// What a query in text asks, checked against the fields of one class.
indirect enum BoundClause: Sendable {
    case all([BoundClause])
    case any([BoundClause])
    case not(BoundClause)
    case constant(Bool)
    case test(BoundTest)
}

/// A test of one field.
struct BoundTest: Sendable {
    enum Kind: Sendable {
        case relation(FieldRelation)
        case beginsWith, contains
        case like(LikePattern)
    }

    /// The relationships to one that lead to the object with the field.
    let path: [String]
    let field: String
    let kind: Kind
    /// Of a kind that values of the field, or its elements, can be compared with.
    let operand: FieldValue

    init(_ name: QueryStatement.Name, _ kind: Kind, _ operand: FieldValue) {
        self.init(path: name.path, field: name.text, kind: kind, operand: operand)
    }

    private init(path: [String], field: String, kind: Kind, operand: FieldValue) {
        (self.path, self.field, self.kind, self.operand) = (path, field, kind, operand)
    }

    /// The same test of the object that the first relationship of the path leads to.
    var ofTarget: BoundTest {
        BoundTest(path: Array(path.dropFirst()), field: field, kind: kind, operand: operand)
    }

    /// The field with the relationships that lead to it.
    var name: String { (path + [field]).joined(separator: ".") }

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
        case .like(let pattern):
            if case .text(let text) = value { pattern.matches(text) } else { false }
        case .contains:
            switch (value, operand) {
            case (.text(let text), .text(let part)): Self.contains(text, part)
            case (.list(let elements), _): elements.contains { $0.order(to: operand) == 0 }
            default: false
            }
        }
    }

    /// As closures do it, by Swift's own method. Foundation's, which texts alone have, finds no empty text, and ends
    /// the program for some with U+0000.
    private static func contains<Text: Collection, Part: Collection>(
        _ text: Text, _ part: Part
    ) -> Bool where Text.Element: Equatable, Part.Element == Text.Element { text.contains(part) }

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

/// The fields that the names of a query stand for: those of a class, and of what its relationships to one
/// lead to.
struct FieldScope {
    let names: [String]
    /// The type of a field; `nil` for none of that name.
    let type: (String) -> FieldType?
    /// The fields of the objects that a relationship to one leads to; `nil` for any other field.
    let target: (String) -> FieldScope?
}

extension QueryStatement {
    /// Checks the names and kinds of values.
    func bind(_ scope: FieldScope) throws(QuerySyntaxError) -> BoundClause {
        for order in order {
            let found = try find(order.name, scope)
            if found.comparedScalar == nil { throw notComparable(order.name, found) }
        }
        return try bind(clause, scope)
    }

    private func bind(
        _ clause: Clause, _ scope: FieldScope
    ) throws(QuerySyntaxError) -> BoundClause {
        switch clause {
        case .all(let parts): return .all(try bind(parts, scope))
        case .any(let parts): return .any(try bind(parts, scope))
        case .not(let part): return .not(try bind(part, scope))
        case .constant(let value): return .constant(value)
        case .truth(let name):
            let found = try find(name, scope)
            guard found.comparedScalar == .bool else { throw notComparable(name, found) }
            return .test(BoundTest(name, .relation(.equal), .bool(true)))
        case .comparison(let name, let relation, let operand):
            let found = try find(name, scope)
            if let test = noTarget(name, found, relation, operand) { return .test(test) }
            guard let value = found.comparedScalar?.operand(operand.value) else {
                throw notComparable(name, found, at: operand)
            }
            return .test(BoundTest(name, .relation(relation), value))
        case .beginsWith(let name, let operand):
            _ = try text(name, operand, scope)
            return .test(BoundTest(name, .beginsWith, operand.value))
        case .like(let name, let operand):
            let pattern = LikePattern(try text(name, operand, scope))
            return .test(BoundTest(name, .like(pattern), operand.value))
        case .contains(let name, let operand):
            let found = try find(name, scope)
            let scalar = found.elementScalar ?? (found.comparedScalar == .string ? .string : nil)
            guard let value = scalar?.operand(operand.value), value != .none else {
                throw notComparable(name, found, at: operand)
            }
            return .test(BoundTest(name, .contains, value))
        }
    }

    /// Whether a relationship to one has a target, which may be asked of it; `nil` for anything else.
    private func noTarget(
        _ name: Name, _ type: FieldType, _ relation: FieldRelation, _ operand: Operand
    ) -> BoundTest? {
        guard case .one = type, operand.value == .none, relation == .equal || relation == .notEqual
        else { return nil }
        return BoundTest(name, .relation(relation), .none)
    }

    /// The text that a field of texts is compared with.
    private func text(
        _ name: Name, _ operand: Operand, _ scope: FieldScope
    ) throws(QuerySyntaxError) -> String {
        let found = try find(name, scope)
        guard found.comparedScalar == .string, case .text(let text) = operand.value else {
            throw notComparable(name, found, at: operand)
        }
        return text
    }

    private func bind(
        _ parts: [Clause], _ scope: FieldScope
    ) throws(QuerySyntaxError) -> [BoundClause] {
        var bound: [BoundClause] = []
        for part in parts { bound.append(try bind(part, scope)) }
        return bound
    }

    private func find(
        _ name: Name, _ scope: FieldScope
    ) throws(QuerySyntaxError) -> FieldType {
        var scope = scope
        for relation in name.path {
            let found = try find(relation, scope, at: name.position)
            guard let target = scope.target(relation) else { throw notComparable(name, found) }
            scope = target
        }
        return try find(name.text, scope, at: name.position)
    }

    private func find(
        _ name: String, _ scope: FieldScope, at position: Int
    ) throws(QuerySyntaxError) -> FieldType {
        if let found = scope.type(name) { return found }
        throw error(.unknownField(name, known: scope.names), at: position)
    }

    private func notComparable(
        _ name: Name, _ type: FieldType, at operand: Operand? = nil
    ) -> QuerySyntaxError {
        error(
            .notComparable(field: name.whole, type: "\(type)"),
            at: operand?.position ?? name.position)
    }
}
