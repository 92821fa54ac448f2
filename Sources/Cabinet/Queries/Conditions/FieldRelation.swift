/// How a field compares with a constant.
enum FieldRelation: String, Sendable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// As it is with both sides exchanged.
    var flipped: FieldRelation {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    /// Whether two values stand so to each other, by Swift's own `==` and `<`. Nothing but `!=` holds
    /// of NaN.
    @inline(__always)
    func holds<Value: FixedValue>(_ one: Value, _ other: Value) -> Bool {
        switch self {
        case .equal: one == other
        case .notEqual: one != other
        case .less: Value.isLess(one, other)
        case .lessOrEqual: Value.isLess(one, other) || one == other
        case .greater: Value.isLess(other, one)
        case .greaterOrEqual: Value.isLess(other, one) || one == other
        }
    }

    /// As ``holds(_:_:)``, for any values that have an order. Foundation's own `<=` and `>=` hold of a
    /// date that is no number, and any other one.
    func holds<Value: Comparable>(inOrder one: Value, _ other: Value) -> Bool {
        switch self {
        case .equal: one == other
        case .notEqual: one != other
        case .less: isLess(one, other)
        case .lessOrEqual: isLess(one, other) || one == other
        case .greater: isLess(other, one)
        case .greaterOrEqual: isLess(other, one) || one == other
        }
    }
}
