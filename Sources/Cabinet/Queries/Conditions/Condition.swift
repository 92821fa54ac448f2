import CabinetBackend
import Foundation

/// What a query asks of objects of one class, in the form that plans are made from.
///
/// The parts stand in the order in which they are asked: a part that throws is not reached if an
/// earlier one has decided.
indirect enum Condition {
    case constant(Bool)
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// A declared field compared with a constant.
    case test(FieldTest)
    /// Anything else.
    case expression(Expression)

    /// A condition that is no comparison of a field with a constant.
    struct Expression {
        /// What a plan says of it.
        let text: String
        /// Whether it can be asked only of the object itself.
        let needsObject: Bool
        let filter: Filter
        /// What it leaves of one field, if that is known.
        var limit: FieldLimit?
        /// What it asks of the targets of a relationship, if it is nothing but that.
        var target: TargetCondition?
        /// Whether it depends on the target of a relationship in another way.
        var asksTarget = false
        /// The row of the only object that meets it, if it is nothing but that.
        var row: RowID?
        /// The rows of the only objects that meet it, if they were found.
        var rows: NamedRows?
    }

    /// Both conditions, the first one asked first.
    func and(_ other: Condition) -> Condition {
        switch (self, other) {
        case (.constant(true), _): other
        case (.constant(false), _), (_, .constant(true)): self
        case (.all(let own), .all(let others)): .all(own + others)
        case (.all(let own), _): .all(own + [other])
        case (_, .all(let others)): .all([self] + others)
        default: .all([self, other])
        }
    }

    /// Either condition, the first one asked first.
    func or(_ other: Condition) -> Condition {
        switch (self, other) {
        case (.constant(false), _): other
        case (.constant(true), _), (_, .constant(false)): self
        case (.any(let own), .any(let others)): .any(own + others)
        case (.any(let own), _): .any(own + [other])
        case (_, .any(let others)): .any([self] + others)
        default: .any([self, other])
        }
    }

    /// All of `parts`, asked in their order: as ``and(_:)`` of one after the other, without copying what
    /// came before for each of thousands.
    static func every(_ parts: [Condition]) -> Condition {
        var kept: [Condition] = []
        for part in parts {
            switch part {
            case .constant(true): continue
            case .all(let inner): kept += inner
            default: kept.append(part)
            }
        }
        return kept.count > 1 ? .all(kept) : kept.first ?? .constant(true)
    }

    /// Any of `parts`, asked in their order, as ``or(_:)`` of one after the other.
    static func some(_ parts: [Condition]) -> Condition {
        var kept: [Condition] = []
        for part in parts {
            switch part {
            case .constant(false): continue
            case .any(let inner): kept += inner
            default: kept.append(part)
            }
        }
        return kept.count > 1 ? .any(kept) : kept.first ?? .constant(false)
    }

    /// What does not meet the condition.
    var negated: Condition {
        switch self {
        case .constant(let value): .constant(!value)
        case .not(let condition): condition
        default: .not(self)
        }
    }

    /// The filter that asks it.
    var filter: Filter {
        switch self {
        case .constant(let value): ConstantFilter(value)
        case .all(let parts): AllFilter(parts.map(\.filter))
        case .any(let parts): AnyFilter(parts.map(\.filter))
        case .not(let part): NotFilter(part.filter)
        case .test(let test): test.filter
        case .expression(let expression): expression.filter
        }
    }

    /// Whether some part can be asked only of the object itself.
    var needsObject: Bool {
        switch self {
        case .constant, .test: false
        case .all(let parts), .any(let parts): parts.contains(where: \.needsObject)
        case .not(let part): part.needsObject
        case .expression(let expression): expression.needsObject
        }
    }
}

/// A declared field compared with a constant of its type.
struct FieldTest {
    let field: ClassFields.Field
    let relation: FieldRelation
    /// A value of the field's type.
    let operand: Any
    let filter: Filter
}

extension Condition: CustomStringConvertible {
    var description: String { text(within: false) }

    private func text(within isPart: Bool) -> String {
        func joined(_ parts: [Condition], by word: String) -> String {
            let text = parts.map { $0.text(within: true) }.joined(separator: " \(word) ")
            return isPart ? "(\(text))" : text
        }
        return switch self {
        case .constant(let value): value ? "everything" : "nothing"
        case .all(let parts): joined(parts, by: "and")
        case .any(let parts): joined(parts, by: "or")
        case .not(let part): "not \(part.text(within: true))"
        case .test(let test): "\(test.field.name) \(test.relation.rawValue) \(test.operandText)"
        case .expression(let expression): expression.text
        }
    }
}

extension FieldTest {
    fileprivate var operandText: String { Self.text(of: operand) }

    /// A constant, as a plan shows it.
    static func text(of value: Any) -> String {
        if let optional = value as? any OptionalValue {
            return optional.wrappedValue.map(text) ?? "nil"
        }
        if let text = value as? String { return text.debugDescription }
        if let date = value as? Date { return date.text }
        return "\(value)"
    }
}
