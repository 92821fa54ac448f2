import CabinetBackend
import Foundation

/// Takes a `#Predicate` apart into a ``Condition``.
///
/// What it does not know is left to Foundation: such a part is evaluated on the object, so every
/// predicate means what `evaluate(_:)` makes of it. But arithmetic throws where that traps, and of a date
/// that is no number nothing but `!=` holds.
struct PredicateCompiler<Object: StoredObject> {
    let fields: ClassFields
    let variable: PredicateExpressions.Variable<Object>

    /// The condition that `predicate` is for objects of the class of `fields`.
    static func condition(_ predicate: Predicate<Object>, _ fields: ClassFields) -> Condition {
        let compiler = PredicateCompiler(fields: fields, variable: predicate.variable)
        return compiler.compile(predicate.expression).condition
    }

    /// Whether `key` is that of the object.
    func isObject(_ key: PredicateExpressions.VariableID) -> Bool { key == variable.key }

    /// What becomes of an expression of any kind.
    func compile<Expression: PredicateExpression>(
        _ expression: Expression
    ) -> Compiled<Expression.Output> {
        if let known = expression as? any CompiledExpression,
            let compiled = known.compile(by: self) as? Compiled<Expression.Output>
        {
            return compiled
        }
        return evaluated(expression)
    }

    /// Evaluates an expression on the object.
    func evaluated<Expression: PredicateExpression>(
        _ expression: Expression
    ) -> Compiled<Expression.Output> {
        let variable = variable
        let isDifferent = CheckedEvaluation.isDifferent(Expression.self)
        return Compiled(needsObject: true) { cursor in
            let object = unsafeDowncast(try cursor.object(), to: Object.self)
            let bindings = PredicateBindings((variable, object))
            return try isDifferent
                ? CheckedEvaluation.value(expression, bindings) : expression.evaluate(bindings)
        }
    }

    /// A comparison of a field with a constant, if it is one, else by the values of both sides.
    func comparison<Value>(
        _ left: Compiled<Value>, _ relation: FieldRelation, _ right: Compiled<Value>,
        _ compare: @escaping (Value, Value) -> Bool
    ) -> Compiled<Bool> {
        if let field = left.field, let operand = right.constant,
            let test = FieldTest.make(field, relation, operand, compare)
        {
            return Compiled(.test(test))
        }
        if let field = right.field, let operand = left.constant,
            let test = FieldTest.make(
                field, relation.flipped, operand, { compare($1, $0) })
        {
            return Compiled(.test(test))
        }
        if left.isRow, relation == .equal, let row = right.constant as? RowID {
            return Compiled(.row(row))
        }
        if right.isRow, relation == .equal, let row = left.constant as? RowID {
            return Compiled(.row(row))
        }
        if let operand = right.constant,
            let condition = left.compared?(relation, operand)
        {
            return Compiled(condition)
        }
        if let operand = left.constant,
            let condition = right.compared?(relation.flipped, operand)
        {
            return Compiled(condition)
        }
        let target =
            right.constant.flatMap { left.target(relation, $0) }
            ?? left.constant.flatMap { right.target(relation.flipped, $0) }
        let evaluate = { (cursor: RowCursor) in
            let one = try left.evaluate(cursor)
            return compare(one, try right.evaluate(cursor))
        }
        let limit =
            right.constant.flatMap { left.limit(relation, $0) }
            ?? left.constant.flatMap { right.limit(relation.flipped, $0) }
        if let limit {
            return Compiled(
                .expression(
                    .init(
                        text: "\(limit.subject.name) \(FieldLimit.text(of: limit.kind))",
                        needsObject: true, filter: ClosureFilter(evaluate), limit: limit)))
        }
        guard let target else {
            return Compiled(needsObject: left.needsObject || right.needsObject, evaluate)
        }
        return Compiled(
            .expression(
                .init(
                    text: "a condition on the object", needsObject: true,
                    filter: ClosureFilter(evaluate), target: target)))
    }
}

/// What became of one expression of a predicate.
struct Compiled<Output> {
    /// Its value for an object.
    let evaluate: (RowCursor) throws -> Output
    /// Whether it can be evaluated only on the object itself.
    let needsObject: Bool
    /// Its value, if that is the same for all objects.
    var constant: Output?
    /// The field that it is.
    var field: ClassFields.Field?
    /// The property that it is, of which a class written by hand has an index.
    var property: ClassFields.Subject?
    /// How it compares with a constant, if it is an optional field, or a constant where that is `nil`, or
    /// the target of a relationship, or what tells that from others.
    var compared: ((FieldRelation, Output) -> Condition?)?
    /// What it says of the targets of a relationship to compare it with a constant, where it has a value.
    var ofTarget: ((FieldRelation, Output) -> TargetCondition?)?
    /// Whether it is the row of the object.
    var isRow = false
    /// The interval that it is, if its ends are constants.
    var interval: FieldLimit.Kind?
    private var known: Condition?

    init(needsObject: Bool, _ evaluate: @escaping (RowCursor) throws -> Output) {
        self.evaluate = evaluate
        self.needsObject = needsObject
    }

    /// A value that is the same for all objects.
    init(constant: Output) {
        self.init(needsObject: false) { _ in constant }
        self.constant = constant
    }
}

extension Compiled {
    /// What an index may be of, if it is such.
    var subject: ClassFields.Subject? { field?.subject ?? property }

    /// What a comparison with a constant leaves of a property that an index is of.
    func limit(_ relation: FieldRelation, _ operand: Output) -> FieldLimit? {
        property.map { FieldLimit($0, relation, operand) }
    }

    /// What a comparison with a constant says of the targets of a relationship; `nil` if an object
    /// without a target may meet it.
    func target(_ relation: FieldRelation, _ operand: Output) -> TargetCondition? {
        guard relation == .equal || !(Output.self is any OptionalValue.Type) else { return nil }
        return ofTarget?(relation, operand)
    }
}

extension Compiled where Output == Bool {
    init(_ condition: Condition) {
        let filter = condition.filter
        self.init(needsObject: condition.needsObject) { try filter.accepts($0) }
        known = condition
        if case .constant(let value) = condition { constant = value }
    }

    /// The condition that it is.
    var condition: Condition {
        if let known { return known }
        if let constant { return .constant(constant) }
        if let field, let test = FieldTest.make(field, .equal, true, ==) { return .test(test) }
        return .expression(
            .init(
                text: needsObject ? "a condition on the object" : "a condition on fields",
                needsObject: needsObject, filter: ClosureFilter(evaluate)))
    }
}

/// An expression of a predicate that the compiler knows.
protocol CompiledExpression {
    /// A ``Compiled`` of the expression's output; `nil` if this one is not known after all.
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any?
}
