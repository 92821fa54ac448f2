/// Why a query has no result.
public enum QueryError: Error, Hashable, Sendable {
    /// The sum of the values is greater than its type can hold, or less.
    case sumOverflow
    /// An operation of integers in a predicate has a result that their type cannot hold: `operation` is the
    /// operation, as `9223372036854775807 + 1`. Swift's own operation traps.
    case overflow(operation: String)
    /// A predicate divides an integer by 0. Swift's own operation traps.
    case divisionByZero(operation: String)
    /// The token is of another class, order or store: `order` is the token's, `expected` the query's.
    case otherPageToken(order: String, expected: String)
    /// The bytes of the token are not what its order says.
    case damagedPageToken
    /// The query is sorted by something whose values a token cannot keep: a type that cannot be stored,
    /// or a descriptor of Foundation, in whose place an ``ObjectOrder`` of the property can stand.
    case notPageable(property: String)
}

extension QueryError: CustomStringConvertible {
    /// What went wrong.
    public var description: String {
        switch self {
        case .sumOverflow:
            "The sum of the values, or of some of them, is beyond what its type can hold."
        case .overflow(let operation): "\(operation) is beyond what its type can hold."
        case .divisionByZero(let operation): "\(operation) divides by zero."
        case .otherPageToken(let order, let expected):
            "The token is of a page of \(order), or of another store; the query is for \(expected)."
        case .damagedPageToken: "The token of the page is damaged."
        case .notPageable(let property):
            "Pages cannot be in the order of '\(property)': its values cannot be kept in a token."
        }
    }
}
