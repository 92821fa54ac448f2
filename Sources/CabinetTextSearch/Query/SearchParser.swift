struct SearchParser {
    /// How deep parentheses, `NOT` and fields may be nested.
    static let depthLimit = 200
    /// How many words are between the parts of `NEAR` if the query does not say.
    static let usualDistance = 10

    private var lexer: SearchLexer
    private var token = SearchLexer.Token.end
    private var position = 0
    /// The whole query is within none.
    private var depth = -1

    /// An expression, and where it begins.
    private typealias Part = (expression: SearchExpression, position: Int)

    init(_ text: String) { lexer = SearchLexer(text) }

    mutating func parse() throws(QuerySyntaxError) -> SearchExpression {
        try advance()
        let whole = try alternatives()
        guard token == .end else { throw unexpected("a word, or the end") }
        try requireWanted(whole)
        return whole.expression
    }

    private mutating func advance(inNear: Bool = false) throws(QuerySyntaxError) {
        (token, position) = try lexer.next(inNear: inNear)
    }

    private func unexpected(_ expected: String) -> QuerySyntaxError {
        lexer.unexpected(expected, at: position)
    }

    private func requireWanted(_ part: Part) throws(QuerySyntaxError) {
        guard !part.expression.onlyExcludes else {
            throw lexer.unexpected(
                "something to find besides what is excluded", at: part.position)
        }
    }

    private mutating func alternatives() throws(QuerySyntaxError) -> Part {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw lexer.error(.tooDeep, at: position) }
        let first = try list()
        guard token == .or else { return first }
        try requireWanted(first)
        var parts = [first.expression]
        while token == .or {
            try advance()
            let next = try list()
            try requireWanted(next)
            parts.append(next.expression)
        }
        return (.any(parts), first.position)
    }

    /// Parts that must all match, with or without `AND` between them.
    private mutating func list() throws(QuerySyntaxError) -> Part {
        let first = try part()
        var parts = first.expression.conjuncts
        while true {
            switch token {
            case .and: try advance()
            case .or, .close, .end, .comma:
                return (parts.count == 1 ? parts[0] : .all(parts), first.position)
            default: break
            }
            parts += try part().expression.conjuncts
        }
    }

    private mutating func part() throws(QuerySyntaxError) -> Part {
        let start = position
        switch token {
        case .not:
            try advance()
            let excluded = try nested()
            try requireWanted(excluded)
            return (.not(excluded.expression), start)
        case .field(let name):
            try advance()
            let content = try nested()
            try requireWanted(content)
            return (.field(name, position: start, content.expression), start)
        case .open:
            try advance()
            let content = try alternatives()
            guard token == .close else { throw unexpected("')'") }
            try advance()
            return (content.expression, start)
        case .near: return (try near(), start)
        default: return (.leaf(try leaf(inNear: false)), start)
        }
    }

    /// A part behind `NOT` or a field.
    private mutating func nested() throws(QuerySyntaxError) -> Part {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw lexer.error(.tooDeep, at: position) }
        return try part()
    }

    private mutating func leaf(inNear: Bool) throws(QuerySyntaxError) -> SearchLeaf {
        let found: SearchLeaf
        switch token {
        case .word(let text, let isPrefix), .phrase(let text, let isPrefix):
            found = SearchLeaf(text: text, kind: isPrefix ? .prefix : .term)
        case .bracketed(let leaf): found = leaf
        default: throw unexpected("a word")
        }
        try advance(inNear: inNear)
        return found
    }

    private mutating func near() throws(QuerySyntaxError) -> SearchExpression {
        try advance(inNear: true)
        var leaves: [SearchLeaf] = []
        repeat { leaves.append(try leaf(inNear: true)) } while token != .comma && token != .close
        var distance = Self.usualDistance
        if token == .comma {
            try advance(inNear: true)
            guard case .word(let text, false) = token, let number = Int(text), number >= 0 else {
                throw unexpected("how many words may stand between")
            }
            distance = number
            try advance(inNear: true)
        }
        guard token == .close else { throw unexpected("')'") }
        try advance()
        return .near(leaves, distance: distance)
    }
}

extension SearchExpression {
    /// The parts of which all must match: so no list holds a list.
    fileprivate var conjuncts: [SearchExpression] {
        if case .all(let parts) = self { parts } else { [self] }
    }

    /// Whether nothing in this must be there.
    fileprivate var onlyExcludes: Bool {
        switch self {
        case .not: true
        case .all(let parts): parts.allSatisfy(\.onlyExcludes)
        default: false
        }
    }
}
