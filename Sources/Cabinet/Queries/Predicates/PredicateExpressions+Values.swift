import Foundation

extension PredicateExpressions.Value: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        Compiled(constant: value)
    }
}

extension PredicateExpressions.NilLiteral: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        Compiled<Wrapped?>(constant: .none)
    }
}

extension PredicateExpressions.Variable: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        guard compiler.isObject(key) else { return nil }
        return Compiled<Object>(needsObject: true) {
            unsafeDowncast(try $0.object(), to: Object.self)
        }
    }
}

extension PredicateExpressions.KeyPath: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let keyPath = keyPath
        if root is PredicateExpressions.Variable<Object>,
            let keyPath = keyPath as? Swift.KeyPath<Object, Output>
        {
            guard
                (root as? PredicateExpressions.Variable<Object>).map({ compiler.isObject($0.key) })
                    == true
            else { return nil }
            if let row = compiler.row(at: keyPath) { return row }
            let source = ValueSource(keyPath, compiler.fields)
            var compiled = Compiled<Output>(
                needsObject: source.field == nil, source.read)
            if let field = source.field, field.targets != nil {
                let fields = compiler.fields
                compiled.compared = { relation, operand in
                    let context = fields.storedClass.context
                    return TargetIdentity.object.targets(operand, of: field, in: context).flatMap {
                        .targets(field, relation, $0, in: fields)
                    }
                }
            } else {
                compiled.field = source.field
            }
            if source.field == nil { compiled.property = compiler.fields.property(at: keyPath) }
            return compiled
        }
        let root = compiler.compile(root)
        return Compiled<Output>(needsObject: root.needsObject) {
            try root.evaluate($0)[keyPath: keyPath]
        }
    }
}

extension PredicateExpressions.NilCoalesce: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (left, right) = (compiler.compile(lhs), compiler.compile(rhs))
        var compiled = Compiled<Output>(needsObject: left.needsObject || right.needsObject) {
            try left.evaluate($0) ?? right.evaluate($0)
        }
        if let field = left.field, let fallback = right.constant {
            compiled.compared = { relation, operand in
                Condition.coalescing(field, fallback, relation, operand)
            }
        } else if let compared = left.compared, let fallback = right.constant {
            compiled.compared = { relation, operand in
                // What stands in for no value must not meet it.
                guard relation == .equal, let holds = relation.holds(between: Output.self),
                    !holds(fallback, operand)
                else { return nil }
                return compared(relation, operand)
            }
        }
        if let ofTarget = left.ofTarget, let fallback = right.constant {
            compiled.ofTarget = { relation, operand in
                // Objects without a target must not meet it.
                // Nor those whose target has no value, which counts as other than any.
                guard relation != .notEqual, let holds = relation.holds(between: Output.self),
                    !holds(fallback, operand)
                else { return nil }
                return ofTarget(relation, operand)
            }
        }
        return compiled
    }
}

extension PredicateExpressions.Conditional: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (one, other) = (compiler.compile(trueBranch), compiler.compile(falseBranch))
        let test = compiler.compile(test)
        return Compiled<Output>(
            needsObject: test.needsObject || one.needsObject || other.needsObject
        ) {
            try test.evaluate($0) ? one.evaluate($0) : other.evaluate($0)
        }
    }
}
