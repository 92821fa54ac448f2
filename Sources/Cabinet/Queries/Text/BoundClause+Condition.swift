import CabinetTextSearch
import Foundation

extension QueryStatement {
    /// The condition for objects of the class of `fields`.
    func condition(_ fields: ClassFields) throws(QuerySyntaxError) -> Condition {
        try bind(fields.scope).condition(fields)
    }
}

extension ClassFields {
    fileprivate var scope: FieldScope {
        FieldScope(
            names: names, type: { self.rawField(named: $0)?.type },
            target: { name in
                guard let form = self.field(named: name)?.targets,
                    let store = self.storedClass.context as? Store
                else { return nil }
                if let target = form.coder.target { return store.fields(of: target).scope }
                // A superclass that is not registered.
                let classes = store.classesByNumber.compactMap(\.self).filter(form.accepts)
                return FieldScope(commonTo: classes.map { store.fields(of: $0).scope })
            })
    }
}

extension FieldScope {
    /// The fields that objects of all these have; `nil`: there are none of these.
    fileprivate init?(commonTo scopes: [FieldScope]) {
        guard let first = scopes.first else { return nil }
        func isCommon(_ name: String) -> Bool { scopes.allSatisfy { $0.type(name) != nil } }
        self.init(
            names: first.names.filter(isCommon),
            type: { isCommon($0) ? first.type($0) : nil },
            target: { isCommon($0) ? first.target($0) : nil })
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
        if let relation = path.first { return condition(of: relation, fields) }
        if let condition = conditionOfTarget(fields) { return condition }
        if case .relation(let relation) = kind, let field = fields.field(named: field),
            let condition = Condition.comparing(field, relation, with: operand)
        {
            return condition
        }
        guard let raw = fields.rawField(named: field) else { return .constant(false) }
        return .expression(
            .init(
                text: text, needsObject: !fields.areReadable,
                filter: ClosureFilter { cursor in
                    holds(
                        try cursor.readBytes(raw) { try raw.type.readCompared(from: $0) })
                }, limit: limit(fields)))
    }

    /// Whether a relationship to one has no target, or has one.
    private func conditionOfTarget(_ fields: ClassFields) -> Condition? {
        guard case .relation(let relation) = kind, operand == .none,
            let raw = fields.rawField(named: field), let coder = raw.coder as? OneCoder
        else { return nil }
        if let field = fields.field(named: field) {
            return .targets(field, relation, [nil], in: fields)
        }
        return .expression(
            .init(
                text: text, needsObject: true,
                filter: ClosureFilter { cursor in
                    let object = try cursor.object()
                    let target = coder.object(in: object)
                    let isNone = target.map { coder.isLoose && $0.isPassedOver() } ?? true
                    return isNone == (relation == .equal)
                }))
    }

    /// What is asked of the target of a relationship; of an object without one, as of a field without a
    /// value.
    private func condition(of relation: String, _ fields: ClassFields) -> Condition {
        guard let field = fields.field(named: relation), let form = field.targets,
            let store = fields.storedClass.context as? Store
        else { return .constant(false) }
        let inner = ofTarget
        let ofNone = holds(.none)
        let targets = TargetCursors(store, field, form)
        var filters: [UInt8: Filter] = [:]
        let filter = ClosureFilter { cursor in
            try targets.withTarget(of: cursor) { target in
                guard let target else { return ofNone }
                let number = target.fields.storedClass.number
                let filter = filters[number] ?? inner.condition(target.fields).filter
                filters[number] = filter
                return try filter.accepts(target)
            }
        }
        // An object without a target must not meet what indexes are asked for.
        let condition =
            ofNone
            ? nil
            : TargetCondition(
                relation: relation,
                targets: { $0.classesByNumber.compactMap(\.self).filter(form.accepts) },
                condition: { inner.condition($0) })
        return .expression(
            .init(
                text: text, needsObject: false, filter: filter, target: condition,
                asksTarget: true))
    }

    private func limit(_ fields: ClassFields) -> FieldLimit? {
        guard let field = fields.field(named: field), case .text(let text) = operand else {
            return nil
        }
        switch kind {
        case .beginsWith:
            return FieldLimit(field: field, kind: .prefix(text), isWhole: false)
        case .like(let pattern) where !pattern.prefix.isEmpty:
            return FieldLimit(field: field, kind: .prefix(pattern.prefix), isWhole: false)
        default: return nil
        }
    }

    /// The test for a reader.
    var text: String {
        switch kind {
        case .relation(let relation): "\(name) \(relation.rawValue) \(operand.queryText)"
        case .beginsWith: "\(name) begins with \(operand.queryText)"
        case .contains: "\(name) contains \(operand.queryText)"
        case .like: "\(name) like \(operand.queryText)"
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
        case .date(let value): value.text
        case .uuid(let value): "\(value)"
        case .url(let value): "\(value)"
        case .decimal(let value): "\(value)"
        default: "a value"
        }
    }
}

extension Condition {
    /// A comparison with a value of a query in text, if a field of that type can hold just that
    /// value, and code knows the type.
    fileprivate static func comparing(
        _ field: ClassFields.Field, _ relation: FieldRelation, with operand: FieldValue
    ) -> Condition? {
        let optional = field.form.valueType as? any OptionalValue.Type
        let type = optional?.wrappedType ?? field.form.valueType
        func exactly<Value>(_ value: Value?) -> Condition? {
            if let value { return .comparing(field, relation, value) }
            // Nothing is before or after a missing value.
            guard optional != nil, operand == .none, relation == .equal || relation == .notEqual
            else { return nil }
            return FieldTest.make(field, relation, Value?.none) { one, _ in
                (one == nil) == (relation == .equal)
            }.map(Condition.test)
        }
        switch operand {
        case .text(let text) where type == String.self: return exactly(text)
        case .uuid(let uuid) where type == UUID.self: return exactly(uuid)
        case .bytes(let bytes) where type == Data.self: return exactly(bytes)
        case .decimal(let number) where type == Decimal.self: return exactly(number)
        case .integer(let number) where type == Int128.self: return exactly(number)
        case .integer(let number) where type == UInt128.self:
            return UInt128(exactly: number).flatMap { exactly($0) }
        case .largeInteger(let number) where type == UInt128.self: return exactly(number)
        case .none where type == String.self: return exactly(String?.none)
        case .none where type == UUID.self: return exactly(UUID?.none)
        case .none where type == Data.self: return exactly(Data?.none)
        case .none where type == Decimal.self: return exactly(Decimal?.none)
        case .none where type == Int128.self: return exactly(Int128?.none)
        case .none where type == UInt128.self: return exactly(UInt128?.none)
        default: break
        }
        let making = ExactMaking(
            field: field, relation: relation, value: operand, isOptional: optional != nil)
        return withFixedType(type, making).flatMap { $0 }.map(Condition.test)
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
