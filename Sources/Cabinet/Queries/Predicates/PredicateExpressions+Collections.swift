import Foundation

// Foundation's own expression is evaluated, on the values of its parts: so it means the same.

/// The bindings of an expression without variables.
private var noBindings: PredicateBindings { PredicateBindings() }

extension PredicateCompiler {
    /// An expression of two parts, evaluated by `body` on their values.
    fileprivate func combine<One, Other, Result>(
        _ one: Compiled<One>, _ other: Compiled<Other>,
        _ body: @escaping (One, Other) throws -> Result
    ) -> Compiled<Result> {
        Compiled<Result>(needsObject: one.needsObject || other.needsObject) {
            let value = try one.evaluate($0)
            return try body(value, try other.evaluate($0))
        }
    }
}

extension PredicateExpressions.SequenceContains: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.combine(compiler.compile(sequence), compiler.compile(element)) {
            $0.contains($1)
        }
    }
}

extension PredicateExpressions.SequenceStartsWith: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.combine(compiler.compile(base), compiler.compile(prefix)) { $0.starts(with: $1) }
    }
}

extension PredicateExpressions.CollectionContainsCollection: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.combine(compiler.compile(base), compiler.compile(other)) {
            try PredicateExpressions.CollectionContainsCollection(
                base: PredicateExpressions.Value($0), other: PredicateExpressions.Value($1)
            ).evaluate(noBindings)
        }
    }
}

extension PredicateExpressions.RangeExpressionContains: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.combine(compiler.compile(range), compiler.compile(element)) { $0.contains($1) }
    }
}

extension PredicateExpressions.Range: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.combine(compiler.compile(lower), compiler.compile(upper)) {
            try PredicateExpressions.Range(
                lower: PredicateExpressions.Value($0), upper: PredicateExpressions.Value($1)
            ).evaluate(noBindings)
        }
    }
}

extension PredicateExpressions.ClosedRange: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.combine(compiler.compile(lower), compiler.compile(upper)) {
            try PredicateExpressions.ClosedRange(
                lower: PredicateExpressions.Value($0), upper: PredicateExpressions.Value($1)
            ).evaluate(noBindings)
        }
    }
}

extension PredicateExpressions.Arithmetic: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let op = op
        return compiler.combine(compiler.compile(lhs), compiler.compile(rhs)) {
            try PredicateExpressions.Arithmetic(
                lhs: PredicateExpressions.Value($0), rhs: PredicateExpressions.Value($1), op: op
            ).evaluate(noBindings)
        }
    }
}
