import Foundation

// Paths through relationships: the conditions are asked of the objects, as Foundation evaluates them.
// Beside that it is noted what they ask of the targets, for which an index may know better.

/// A class of which a predicate's variable is. Every class of stored objects conforms.
protocol PredicateTarget {
    /// What becomes of an expression of a variable of the class, for objects of the class of `fields`;
    /// `nil` if the variable is of another class.
    static func compile<Expression: PredicateExpression>(
        _ expression: Expression, _ variable: Any, _ fields: ClassFields
    ) -> Compiled<Expression.Output>?

    /// By what a property tells objects of the class apart; `nil` if it may not.
    static func identity(at keyPath: AnyKeyPath) -> TargetIdentity?
}

extension PredicateTarget where Self: StoredObject {
    static func compile<Expression: PredicateExpression>(
        _ expression: Expression, _ variable: Any, _ fields: ClassFields
    ) -> Compiled<Expression.Output>? {
        guard let variable = variable as? PredicateExpressions.Variable<Self> else { return nil }
        return PredicateCompiler(fields: fields, variable: variable).compile(expression)
    }

    static func identity(at keyPath: AnyKeyPath) -> TargetIdentity? {
        if keyPath == \Self.id { return .id }
        if keyPath == \Self.objectID { return .objectID }
        return PredicateCompiler<Self>.isRow(keyPath) ? .row : nil
    }
}

extension StoredObject: PredicateTarget {}

/// An expression that is a key path of an object: a relationship, perhaps.
private protocol RelationExpression {
    func relation<Object: StoredObject>(of compiler: PredicateCompiler<Object>) -> AnyKeyPath?
}

extension PredicateExpressions.KeyPath: RelationExpression {
    func relation<Object: StoredObject>(of compiler: PredicateCompiler<Object>) -> AnyKeyPath? {
        guard let variable = root as? PredicateExpressions.Variable<Object>,
            compiler.isObject(variable.key)
        else { return nil }
        return keyPath
    }
}

extension PredicateExpressions.OptionalFlatMap: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        guard let keyPath = (wrapped as? any RelationExpression)?.relation(of: compiler),
            let target = Wrapped.self as? StoredObject.Type,
            let known = Wrapped.self as? any PredicateTarget.Type,
            let name = compiler.fields.declaredName(of: keyPath)
        else { return nil }
        let (transform, variable) = (transform, variable)
        var compiled = compiler.evaluated(self)
        if let (root, inner) = (transform as? any FieldExpression)?.field, root == variable.key,
            let identity = known.identity(at: inner), let field = compiler.fields.field(at: keyPath)
        {
            let fields = compiler.fields
            compiled.compared = { relation, operand in
                let context = fields.storedClass.context
                return identity.targets(operand as Any, of: field, in: context).flatMap {
                    .targets(field, relation, $0, in: fields)
                }
            }
            return compiled
        }
        compiled.ofTarget = { relation, operand in
            guard let operand else { return nil }
            return TargetCondition(relation: name, target: target) { fields in
                known.compile(transform, variable, fields)?.field.flatMap {
                    Condition.comparing($0, relation, operand)
                }
            }
        }
        return compiled
    }
}

extension PredicateExpressions.SequenceContainsWhere: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        guard let keyPath = (sequence as? any RelationExpression)?.relation(of: compiler),
            let target = LHS.Output.Element.self as? StoredObject.Type,
            let known = LHS.Output.Element.self as? any PredicateTarget.Type,
            let relation = compiler.fields.declaredName(of: keyPath)
        else { return nil }
        let (test, variable) = (test, variable)
        return Compiled(
            .expression(
                .init(
                    text: "a condition on the object", needsObject: true,
                    filter: ClosureFilter(compiler.evaluated(self).evaluate),
                    target: TargetCondition(relation: relation, target: target) { fields in
                        known.compile(test, variable, fields)?.condition
                    })))
    }
}
