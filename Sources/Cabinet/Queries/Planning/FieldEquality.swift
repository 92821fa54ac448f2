import Foundation

/// A predicate that is nothing but `field == constant`: by far the most common one, and the one that is
/// to be as quick as a look-up. The generic types tell, so nothing is compiled.
protocol FieldEquality {
    /// The key path that is compared, and with what; `nil` if it does not begin at that variable.
    func parts(of variable: PredicateExpressions.VariableID) -> (keyPath: AnyKeyPath, value: Any)?
}

/// The object that a predicate is about, or another variable.
protocol VariableExpression {
    var variableID: PredicateExpressions.VariableID { get }
}

/// A key path of a variable.
protocol FieldExpression {
    var field: (variable: PredicateExpressions.VariableID, keyPath: AnyKeyPath) { get }
}

/// A constant.
protocol ConstantExpression {
    var constant: Any { get }
}

extension PredicateExpressions.Variable: VariableExpression {
    var variableID: PredicateExpressions.VariableID { key }
}

extension PredicateExpressions.Value: ConstantExpression {
    var constant: Any { value }
}

extension PredicateExpressions.KeyPath: FieldExpression where Root: VariableExpression {
    var field: (variable: PredicateExpressions.VariableID, keyPath: AnyKeyPath) {
        (root.variableID, keyPath)
    }
}

extension PredicateExpressions.Equal: FieldEquality
where LHS: FieldExpression, RHS: ConstantExpression {
    func parts(of variable: PredicateExpressions.VariableID) -> (keyPath: AnyKeyPath, value: Any)? {
        let field = lhs.field
        return field.variable == variable ? (field.keyPath, rhs.constant) : nil
    }
}
