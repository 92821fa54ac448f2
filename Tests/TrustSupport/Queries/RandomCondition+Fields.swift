import Cabinet
import Foundation

typealias SpecimenPath<Value> = KeyPath<Specimen, Value> & Sendable
private typealias Build = PredicateExpressions

extension RandomCondition {
    /// Makes conditions on one field.
    struct FieldMaker<Value: Comparable & Codable & Sendable & QueryParameter> {
        let name: String
        let path: SpecimenPath<Value>
        let plain: (SpecimenValues) -> Value
        let pool: [Value]

        func random(_ random: inout SeededRandom) -> RandomCondition {
            let constant = pool[random.below(pool.count)]
            let other = pool[random.below(pool.count)]
            switch random.below(10) {
            case 0, 1: return comparison("=", constant, ==) { Build.build_Equal(lhs: $0, rhs: $1) }
            case 2: return comparison("!=", constant, !=) { Build.build_NotEqual(lhs: $0, rhs: $1) }
            case 3:
                return comparison("<", constant, <) {
                    Build.build_Comparison(lhs: $0, rhs: $1, op: .lessThan)
                }
            case 4:
                return comparison("<=", constant, <=) {
                    Build.build_Comparison(lhs: $0, rhs: $1, op: .lessThanOrEqual)
                }
            case 5:
                return comparison(">", constant, >) {
                    Build.build_Comparison(lhs: $0, rhs: $1, op: .greaterThan)
                }
            case 6:
                return comparison(">=", constant, >=) {
                    Build.build_Comparison(lhs: $0, rhs: $1, op: .greaterThanOrEqual)
                }
            case 7: return flipped(constant)
            case 8: return membership([constant, other])
            default: return interval(constant, other)
            }
        }

        private func comparison(
            _ sign: String, _ constant: Value, _ holds: @escaping (Value, Value) -> Bool,
            _ make: @escaping (Build.KeyPath<Variable, Value>, Build.Value<Value>) -> Expression
        ) -> RandomCondition {
            RandomCondition(
                expression: {
                    make(Build.build_KeyPath(root: $0, keyPath: path), Build.build_Arg(constant))
                }, holds: { holds(plain($0), constant) }, text: ("\(name) \(sign) ?", [constant]))
        }

        private func flipped(_ constant: Value) -> RandomCondition {
            RandomCondition(
                expression: {
                    Build.build_Comparison(
                        lhs: Build.build_Arg(constant),
                        rhs: Build.build_KeyPath(root: $0, keyPath: path), op: .lessThan)
                }, holds: { constant < plain($0) }, text: ("? < \(name)", [constant]))
        }

        private func membership(_ constants: [Value]) -> RandomCondition {
            RandomCondition(
                expression: {
                    Build.build_contains(
                        Build.build_Arg(constants), Build.build_KeyPath(root: $0, keyPath: path))
                }, holds: { constants.contains(plain($0)) },
                text: ("\(name) IN (?, ?)", constants))
        }

        private func interval(_ one: Value, _ other: Value) -> RandomCondition {
            guard one <= other else { return flipped(one) }
            return RandomCondition(
                expression: {
                    Build.build_contains(
                        Build.build_Arg(one...other), Build.build_KeyPath(root: $0, keyPath: path))
                }, holds: { (one...other).contains(plain($0)) },
                text: ("\(name) BETWEEN ? AND ?", [one, other]))
        }
    }

    /// Makes conditions on one optional field.
    struct OptionalMaker<Value: Comparable & Codable & Sendable & QueryParameter> {
        let name: String
        let path: SpecimenPath<Value?>
        let plain: (SpecimenValues) -> Value?
        let pool: [Value]

        func random(_ random: inout SeededRandom) -> RandomCondition {
            let constant = random.once(in: 3) ? nil : pool[random.below(pool.count)]
            let value = pool[random.below(pool.count)]
            switch random.below(4) {
            case 0:
                return RandomCondition(
                    expression: {
                        Build.build_Equal(
                            lhs: Build.build_KeyPath(root: $0, keyPath: path),
                            rhs: Build.build_Arg(constant))
                    }, holds: { plain($0) == constant }, text: ("\(name) = ?", [constant]))
            case 1:
                return RandomCondition(
                    expression: {
                        Build.build_NotEqual(
                            lhs: Build.build_KeyPath(root: $0, keyPath: path),
                            rhs: Build.build_Arg(constant))
                    }, holds: { plain($0) != constant }, text: ("\(name) != ?", [constant]))
            case 2:
                return RandomCondition(
                    expression: {
                        Build.build_Equal(
                            lhs: Build.build_KeyPath(root: $0, keyPath: path),
                            rhs: Build.build_NilLiteral())
                    }, holds: { plain($0) == nil }, text: ("\(name) IS NULL", []))
            default:
                let fallback = pool[random.below(pool.count)]
                return RandomCondition(
                    expression: {
                        Build.build_Comparison(
                            lhs: Build.build_NilCoalesce(
                                lhs: Build.build_KeyPath(root: $0, keyPath: path),
                                rhs: Build.build_Arg(fallback)),
                            rhs: Build.build_Arg(value), op: .lessThan)
                    }, holds: { (plain($0) ?? fallback) < value })
            }
        }
    }
}
