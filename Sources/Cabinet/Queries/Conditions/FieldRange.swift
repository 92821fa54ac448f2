/// The values of one field that a condition leaves, as an interval.
struct FieldRange {
    /// An end of the interval.
    struct Bound {
        /// A value of the field's type.
        let value: Any
        let isIncluded: Bool
    }

    let field: ClassFields.Field
    /// `nil` for no lower end.
    var lower: Bound?
    /// `nil` for no upper end.
    var upper: Bound?

    /// What `test` leaves; `nil` for what is no interval.
    init?(_ test: FieldTest) {
        field = test.field
        switch test.relation {
        case .equal:
            lower = Bound(value: test.operand, isIncluded: true)
            upper = lower
        case .notEqual: return nil
        case .less: upper = Bound(value: test.operand, isIncluded: false)
        case .lessOrEqual: upper = Bound(value: test.operand, isIncluded: true)
        case .greater: lower = Bound(value: test.operand, isIncluded: false)
        case .greaterOrEqual: lower = Bound(value: test.operand, isIncluded: true)
        }
    }
}

extension Condition {
    /// The intervals of fields that every object lies in which meets the condition; a field may
    /// have several.
    var requiredRanges: [FieldRange] { requiredTests.compactMap(FieldRange.init) }
}

/// How a plan comes to its rows.
enum AccessPath: Hashable, Sendable {
    /// By walking over all records of the class.
    case scan
}
