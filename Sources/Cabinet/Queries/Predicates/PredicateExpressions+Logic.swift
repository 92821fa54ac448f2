import Foundation

extension PredicateExpressions.Conjunction: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (left, right) = (compiler.compile(lhs), compiler.compile(rhs))
        return Compiled(left.condition.and(right.condition))
    }
}

extension PredicateExpressions.Disjunction: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (left, right) = (compiler.compile(lhs), compiler.compile(rhs))
        return Compiled(left.condition.or(right.condition))
    }
}

extension PredicateExpressions.Negation: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        Compiled(compiler.compile(wrapped).condition.negated)
    }
}

extension PredicateExpressions.Equal: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.comparison(compiler.compile(lhs), .equal, compiler.compile(rhs), ==)
    }
}

extension PredicateExpressions.NotEqual: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.comparison(compiler.compile(lhs), .notEqual, compiler.compile(rhs), !=)
    }
}

extension PredicateExpressions.Comparison: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        relation.map { relation in
            compiler.comparison(compiler.compile(lhs), relation, compiler.compile(rhs)) {
                relation.holds(inOrder: $0, $1)
            }
        }
    }

    /// How the two sides are to stand to each other; `nil` for an operator of a newer Foundation.
    var relation: FieldRelation? {
        switch op {
        case .lessThan: .less
        case .lessThanOrEqual: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqual: .greaterOrEqual
        @unknown default: nil
        }
    }
}
