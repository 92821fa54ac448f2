/// What a query asks for, before the tokenizers of the fields are known.
indirect enum SearchExpression: Sendable, Hashable {
    /// All of these, one of which at least is no ``not(_:)``.
    case all([SearchExpression])
    /// One of these, none of which is a ``not(_:)``.
    case any([SearchExpression])
    /// Not this, which is no ``not(_:)`` itself.
    case not(SearchExpression)
    /// This, in the field of that name. At ``position`` bytes of the query's text the name begins.
    case field(String, position: Int, SearchExpression)
    /// All of these in one field, in any order, with at most `distance` words between the end of
    /// the first and the beginning of the last.
    case near([SearchLeaf], distance: Int)
    case leaf(SearchLeaf)

    /// The names of fields that are asked for, and where they stand in the text.
    package var fields: [(name: String, position: Int)] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.fields)
        case .not(let part): part.fields
        case .field(let name, let position, let part): [(name, position)] + part.fields
        case .near, .leaf: []
        }
    }
}

/// A text that is looked for. A tokenizer may make several terms of it, which stand one after the other.
struct SearchLeaf: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A word, or several in this order.
        case term
        /// The last word goes on in any way.
        case prefix
        /// The first word begins in any way.
        case suffix
        /// Both.
        case substring
        /// One word with typos, which goes on in any way if `isPrefix`. Several words stand as they are.
        case fuzzy(SearchTolerance, isPrefix: Bool)
    }

    let text: String
    package let kind: Kind
}
