import Cabinet
import Foundation

/// A condition in each form in which a store may be asked for it, and in plain Swift.
struct RandomCondition {
    typealias Variable = PredicateExpressions.Variable<Specimen>
    typealias Expression = any StandardPredicateExpression<Bool>

    let expression: (Variable) -> Expression
    let holds: (SpecimenValues) -> Bool
    /// As text and parameters, where that can say it.
    var text: (String, [any QueryParameter])?

    var predicate: Predicate<Specimen> { Predicate<Specimen> { expression($0) } }

    func and(_ other: RandomCondition) -> RandomCondition {
        RandomCondition(
            expression: { Self.and(expression($0), other.expression($0)) },
            holds: { holds($0) && other.holds($0) }, text: joined(other, "AND"))
    }

    func or(_ other: RandomCondition) -> RandomCondition {
        RandomCondition(
            expression: { Self.or(expression($0), other.expression($0)) },
            holds: { holds($0) || other.holds($0) }, text: joined(other, "OR"))
    }

    var negated: RandomCondition {
        RandomCondition(
            expression: { Self.not(expression($0)) }, holds: { !holds($0) },
            text: text.map { ("NOT (\($0.0))", $0.1) })
    }

    /// `one` where the condition holds, and otherwise `other`.
    func choosing(_ one: RandomCondition, _ other: RandomCondition) -> RandomCondition {
        RandomCondition(
            expression: {
                Self.choose(expression($0), one.expression($0), other.expression($0))
            }, holds: { holds($0) ? one.holds($0) : other.holds($0) })
    }

    private func joined(
        _ other: RandomCondition, _ word: String
    ) -> (String, [any QueryParameter])? {
        guard let text, let second = other.text else { return nil }
        return ("(\(text.0)) \(word) (\(second.0))", text.1 + second.1)
    }

    private static func and(
        _ one: some StandardPredicateExpression<Bool>,
        _ other: some StandardPredicateExpression<Bool>
    ) -> Expression { PredicateExpressions.build_Conjunction(lhs: one, rhs: other) }

    private static func or(
        _ one: some StandardPredicateExpression<Bool>,
        _ other: some StandardPredicateExpression<Bool>
    ) -> Expression { PredicateExpressions.build_Disjunction(lhs: one, rhs: other) }

    private static func not(_ one: some StandardPredicateExpression<Bool>) -> Expression {
        PredicateExpressions.build_Negation(one)
    }

    private static func choose(
        _ test: some StandardPredicateExpression<Bool>,
        _ one: some StandardPredicateExpression<Bool>,
        _ other: some StandardPredicateExpression<Bool>
    ) -> Expression { PredicateExpressions.build_Conditional(test, one, other) }
}
