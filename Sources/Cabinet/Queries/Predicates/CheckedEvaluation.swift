import Foundation

/// An expression whose parts are evaluated one by one where Foundation would evaluate it whole: in
/// conditions on elements of collections and on optional values. Arithmetic in it throws instead of
/// trapping, and dates and texts compare as elsewhere in queries.
protocol CheckedExpression: PredicateExpression {
    /// Whether it may say anything else than Foundation's evaluation.
    static var isDifferent: Bool { get }
    func checked(_ bindings: PredicateBindings) throws -> Output
}

enum CheckedEvaluation {
    /// Whether an expression of one of `types` may say anything else than Foundation's evaluation.
    static func isDifferent(_ types: any PredicateExpression.Type...) -> Bool {
        types.contains { ($0 as? any CheckedExpression.Type)?.isDifferent ?? false }
    }

    /// The value of an expression, evaluated part by part as far as its kinds are known.
    static func value<Expression: PredicateExpression>(
        _ expression: Expression, _ bindings: PredicateBindings
    ) throws -> Expression.Output {
        func open<Known: CheckedExpression>(_ known: Known) throws -> Expression.Output? {
            try known.checked(bindings) as? Expression.Output
        }
        if let known = expression as? any CheckedExpression, let value = try open(known) {
            return value
        }
        return try expression.evaluate(bindings)
    }
}

private func value<Expression: PredicateExpression>(
    of expression: Expression, _ bindings: PredicateBindings
) throws -> Expression.Output {
    try CheckedEvaluation.value(expression, bindings)
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: CheckedExpression {
    static var isDifferent: Bool {
        Output.self is any FixedWidthInteger.Type
            || CheckedEvaluation.isDifferent(LHS.self, RHS.self)
    }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        try body(value(of: lhs, bindings), value(of: rhs, bindings))
    }
}

extension PredicateExpressions.IntDivision: CheckedExpression {
    static var isDifferent: Bool { true }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        let (one, other) = (try value(of: lhs, bindings), try value(of: rhs, bindings))
        return try CheckedOperation<Output>.of(.divide)?.run(one, other) ?? one / other
    }
}

extension PredicateExpressions.IntRemainder: CheckedExpression {
    static var isDifferent: Bool { true }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        let (one, other) = (try value(of: lhs, bindings), try value(of: rhs, bindings))
        return try CheckedOperation<Output>.of(.remainder)?.run(one, other) ?? one % other
    }
}

extension PredicateExpressions.UnaryMinus: CheckedExpression {
    static var isDifferent: Bool {
        Output.self is any FixedWidthInteger.Type || CheckedEvaluation.isDifferent(Wrapped.self)
    }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        let inner = try value(of: wrapped, bindings)
        return try CheckedOperation<Output>.of(.subtract)?.run(0, inner) ?? -inner
    }
}

// MARK: Comparisons

extension PredicateExpressions.Comparison: CheckedExpression {
    static var isDifferent: Bool {
        LHS.Output.self == Date.self || LHS.Output.self == String.self
            || CheckedEvaluation.isDifferent(LHS.self, RHS.self)
    }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        let (one, other) = (try value(of: lhs, bindings), try value(of: rhs, bindings))
        return relation.map { $0.holds(inOrder: one, other) } ?? false
    }
}

extension PredicateExpressions.Equal: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try value(of: lhs, bindings) == value(of: rhs, bindings)
    }
}

extension PredicateExpressions.NotEqual: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try value(of: lhs, bindings) != value(of: rhs, bindings)
    }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try value(of: lhs, bindings) && value(of: rhs, bindings)
    }
}

extension PredicateExpressions.Disjunction: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try value(of: lhs, bindings) || value(of: rhs, bindings)
    }
}

extension PredicateExpressions.Negation: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(Wrapped.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try !value(of: wrapped, bindings)
    }
}

extension PredicateExpressions.Conditional: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(Test.self, If.self, Else.self) }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        try value(of: test, bindings)
            ? value(of: trueBranch, bindings) : value(of: falseBranch, bindings)
    }
}
