import Foundation

// Expressions that hold others: see ``CheckedExpression``.

extension PredicateExpressions.KeyPath: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(Root.self) }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        try CheckedEvaluation.value(root, bindings)[keyPath: keyPath]
    }
}

extension PredicateExpressions.NilCoalesce: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        try CheckedEvaluation.value(lhs, bindings) ?? CheckedEvaluation.value(rhs, bindings)
    }
}

extension PredicateExpressions.OptionalFlatMap: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Result? {
        guard let inner = try CheckedEvaluation.value(wrapped, bindings) else { return nil }
        let result = try CheckedEvaluation.value(
            transform, bindings.binding(variable, to: inner))
        return result as? Result
    }
}

extension PredicateExpressions.SequenceContainsWhere: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try CheckedEvaluation.value(sequence, bindings).contains {
            try CheckedEvaluation.value(test, bindings.binding(variable, to: $0))
        }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try CheckedEvaluation.value(sequence, bindings).allSatisfy {
            try CheckedEvaluation.value(test, bindings.binding(variable, to: $0))
        }
    }
}

extension PredicateExpressions.Filter: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> [LHS.Output.Element] {
        try CheckedEvaluation.value(sequence, bindings).filter {
            try CheckedEvaluation.value(filter, bindings.binding(variable, to: $0))
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(Inner.self) }

    func checked(_ bindings: PredicateBindings) throws -> Output {
        try PredicateExpressions.ForcedUnwrap(
            PredicateExpressions.Value(CheckedEvaluation.value(inner, bindings))
        ).evaluate(bindings)
    }
}

extension PredicateExpressions.SequenceContains: CheckedExpression {
    static var isDifferent: Bool { CheckedEvaluation.isDifferent(LHS.self, RHS.self) }

    func checked(_ bindings: PredicateBindings) throws -> Bool {
        try CheckedEvaluation.value(sequence, bindings).contains(
            CheckedEvaluation.value(element, bindings))
    }
}
