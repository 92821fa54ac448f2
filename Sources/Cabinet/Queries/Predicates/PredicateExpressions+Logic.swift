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
        let (left, right) = (compiler.compile(lhs), compiler.compile(rhs))
        return switch op {
        case .lessThan: compiler.comparison(left, .less, right, <)
        case .lessThanOrEqual: compiler.comparison(left, .lessOrEqual, right, <=)
        case .greaterThan: compiler.comparison(left, .greater, right, >)
        case .greaterThanOrEqual: compiler.comparison(left, .greaterOrEqual, right, >=)
        @unknown default: nil as Compiled<Bool>?
        }
    }
}
