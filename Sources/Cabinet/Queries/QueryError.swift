/// Why a query has no result.
public enum QueryError: Error, Hashable, Sendable {
    /// The sum of the values is greater than its type can hold, or less.
    case sumOverflow
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
        case .sumOverflow: "The sum is beyond what its type can hold."
        case .otherPageToken(let order, let expected):
            "The token is of a page of \(order), or of another store; the query is for \(expected)."
        case .damagedPageToken: "The token of the page is damaged."
        case .notPageable(let property):
            "Pages cannot be in the order of '\(property)': its values cannot be kept in a token."
        }
    }
}
