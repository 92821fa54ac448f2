/// What a condition leaves of the values of one field: what an index can narrow a query by.
struct FieldLimit {
    /// An end of an interval.
    struct Bound {
        /// A value of the field's type.
        let value: Any
        let isIncluded: Bool
    }

    enum Kind {
        /// Each of these values, which are of the field's type.
        case equal([Any])
        /// An interval; `nil` for no end. It has no `nil` and no NaN.
        case interval(lower: Bound?, upper: Bound?)
        /// The same, or `nil`.
        case intervalOrNil(lower: Bound?, upper: Bound?)
        /// None of these values, which are of the field's type.
        case otherThan([Any])
        /// Texts that begin so.
        case prefix(String)
        /// Collections that have this element.
        case element(Any)
    }

    let subject: ClassFields.Subject
    let kind: Kind
    /// Whether every object within the limit meets the condition.
    let isWhole: Bool
}

extension FieldLimit {
    init(field: ClassFields.Field, kind: Kind, isWhole: Bool) {
        self.init(subject: field.subject, kind: kind, isWhole: isWhole)
    }

    /// What a comparison with a constant leaves.
    init(_ subject: ClassFields.Subject, _ relation: FieldRelation, _ operand: Any) {
        let (below, upTo) = (
            Bound(value: operand, isIncluded: false), Bound(value: operand, isIncluded: true)
        )
        let kind: Kind =
            switch relation {
            case .equal: .equal([operand])
            case .notEqual: .otherThan([operand])
            case .less: .interval(lower: nil, upper: below)
            case .lessOrEqual: .interval(lower: nil, upper: upTo)
            case .greater: .interval(lower: below, upper: nil)
            case .greaterOrEqual: .interval(lower: upTo, upper: nil)
            }
        self.init(subject: subject, kind: kind, isWhole: true)
    }
}

extension FieldLimit {
    /// Values, as a plan shows them.
    static func text(of kind: Kind) -> String {
        switch kind {
        case .equal(let values):
            return values.count == 1
                ? FieldTest.text(of: values[0]) : "one of \(values.count) values"
        case .otherThan(let values):
            return "other than " + values.map { FieldTest.text(of: $0) }.joined(separator: ", ")
        case .intervalOrNil(let lower, let upper):
            return text(of: .interval(lower: lower, upper: upper)) + " or nil"
        case .interval(let lower, let upper):
            let ends = [lower, upper].map { $0.map { FieldTest.text(of: $0.value) } ?? "" }
            return "\(ends[0])..\(upper?.isIncluded == false ? "<" : ".")\(ends[1])"
        case .prefix(let text): return "\(text.debugDescription)*"
        case .element(let value): return "with \(FieldTest.text(of: value))"
        }
    }
}

extension FieldTest {
    /// What the test leaves.
    var limit: FieldLimit { FieldLimit(field.subject, relation, operand) }
}

extension FieldTest {
    /// What does not meet the test; `nil` for what is neither a few values nor all others: what is not
    /// below 5 may be `nil` or NaN.
    fileprivate var negatedLimit: FieldLimit? {
        switch relation {
        case .equal: FieldLimit(field: field, kind: .otherThan([operand]), isWhole: true)
        case .notEqual: FieldLimit(field: field, kind: .equal([operand]), isWhole: true)
        default: nil
        }
    }
}

extension Condition {
    /// The parts of which every object meets each that meets the condition.
    var conjuncts: [Condition] {
        switch self {
        case .all(let parts): parts.flatMap(\.conjuncts)
        case .constant(true): []
        default: [self]
        }
    }

    /// What the condition leaves of one field; `nil` if it is about more, or leaves too much.
    var limit: FieldLimit? {
        switch self {
        case .test(let test): test.limit
        case .expression(let expression): expression.limit
        case .any(let parts): Self.union(parts)
        case .not(.test(let test)): test.negatedLimit
        default: nil
        }
    }

    /// What the parts together leave of one field, if each of them leaves values, or one leaves an
    /// interval and the others `nil`.
    private static func union(_ parts: [Condition]) -> FieldLimit? {
        var subject: ClassFields.Subject?
        var isWhole = true
        var values: [Any] = []
        var other: FieldLimit.Kind?
        for part in parts {
            guard let limit = part.limit,
                subject == nil || subject?.place == limit.subject.place
            else { return nil }
            subject = limit.subject
            isWhole = isWhole && limit.isWhole
            if case .equal(let more) = limit.kind {
                values += more
            } else {
                guard other == nil else { return nil }
                other = limit.kind
            }
        }
        guard let subject else { return nil }
        guard let other else {
            return FieldLimit(subject: subject, kind: .equal(values), isWhole: isWhole)
        }
        guard values.allSatisfy(PlannedColumn.isNil), let kind = other.orNil else { return nil }
        return FieldLimit(subject: subject, kind: kind, isWhole: isWhole)
    }
}

extension FieldLimit.Kind {
    /// The same, or `nil`; `nil` if there is no such limit.
    fileprivate var orNil: FieldLimit.Kind? {
        switch self {
        case .interval(let lower, let upper): .intervalOrNil(lower: lower, upper: upper)
        case .intervalOrNil: self
        case .otherThan(let values): .otherThan(values.filter { !PlannedColumn.isNil($0) })
        case .equal, .prefix, .element: nil
        }
    }
}

/// A range of any type, for conditions of which one is a part.
protocol BoundedRange {
    /// Its lower end; `nil` for none.
    var lowerEnd: FieldLimit.Bound? { get }
    /// Its upper end; `nil` for none.
    var upperEnd: FieldLimit.Bound? { get }
}

extension Range: BoundedRange {
    var lowerEnd: FieldLimit.Bound? { .init(value: lowerBound, isIncluded: true) }
    var upperEnd: FieldLimit.Bound? { .init(value: upperBound, isIncluded: false) }
}

extension ClosedRange: BoundedRange {
    var lowerEnd: FieldLimit.Bound? { .init(value: lowerBound, isIncluded: true) }
    var upperEnd: FieldLimit.Bound? { .init(value: upperBound, isIncluded: true) }
}

extension PartialRangeFrom: BoundedRange {
    var lowerEnd: FieldLimit.Bound? { .init(value: lowerBound, isIncluded: true) }
    var upperEnd: FieldLimit.Bound? { nil }
}

extension PartialRangeThrough: BoundedRange {
    var lowerEnd: FieldLimit.Bound? { nil }
    var upperEnd: FieldLimit.Bound? { .init(value: upperBound, isIncluded: true) }
}

extension PartialRangeUpTo: BoundedRange {
    var lowerEnd: FieldLimit.Bound? { nil }
    var upperEnd: FieldLimit.Bound? { .init(value: upperBound, isIncluded: false) }
}
