import CabinetTextSearch

/// Reads a query in text, by recursive descent.
struct QueryParser {
    private static let depthLimit = 200
    private static let reserved: Set<String> = [
        "and", "or", "not", "in", "is", "null", "nil", "true", "false", "between", "beginswith",
        "contains", "like", "order", "by", "asc", "desc", "limit", "offset",
    ]

    private var lexer: QueryLexer
    private var token = QueryLexer.Token.end
    private var position = 0
    private var parameters: ArraySlice<FieldValue>
    private let source: QueryText
    private var depth = 0

    /// - Throws: ``QuerySyntaxError``
    static func parse(_ source: QueryText) throws(QuerySyntaxError) -> QueryStatement {
        var parser = QueryParser(source)
        return try parser.statement()
    }

    private init(_ source: QueryText) {
        self.source = source
        lexer = QueryLexer(source)
        parameters = source.parameters[...]
    }

    private mutating func statement() throws(QuerySyntaxError) -> QueryStatement {
        var statement = QueryStatement(text: source.text)
        try advance()
        if !isAtTail { statement.clause = try clause() }
        if try takeTail("order") {
            try expect(word: "by", "BY")
            repeat {
                let name = try name()
                let isDescending = try take(word: "desc")
                if !isDescending { _ = try take(word: "asc") }
                statement.order.append(.init(name: name, isDescending: isDescending))
            } while try take(symbol: ",")
        }
        let hasLimit = try takeTail("limit")
        if hasLimit { statement.limit = try count() }
        let hasOffset = try takeTail("offset")
        if hasOffset { statement.offset = try count() }
        guard token == .end else {
            let expected =
                switch (statement.order.isEmpty, hasLimit, hasOffset) {
                case (_, _, true): "the end"
                case (_, true, _): "OFFSET or the end"
                case (false, _, _): "ASC, DESC, a comma, LIMIT, OFFSET or the end"
                default: "AND, OR, ORDER BY, LIMIT, OFFSET or the end"
                }
            throw unexpected(expected)
        }
        if !parameters.isEmpty {
            throw lexer.error(.surplusParameters(source.parameters.count), at: position)
        }
        return statement
    }

    // MARK: Clauses

    private mutating func clause() throws(QuerySyntaxError) -> QueryStatement.Clause {
        var parts = [try conjunction()]
        while try take(word: "or") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(QuerySyntaxError) -> QueryStatement.Clause {
        var parts = [try negation()]
        while try take(word: "and") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation() throws(QuerySyntaxError) -> QueryStatement.Clause {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw lexer.error(.tooDeep, at: position) }
        if try take(word: "not") { return .not(try negation()) }
        if try take(symbol: "(") {
            let inner = try clause()
            try expect(symbol: ")")
            return inner
        }
        return try comparison()
    }

    private mutating func comparison() throws(QuerySyntaxError) -> QueryStatement.Clause {
        guard isName else {
            let start = position
            let operand = try operand()
            guard let relation = try relation() else {
                if case .bool(let value) = operand.value { return .constant(value) }
                throw lexer.error(
                    .unexpected(found: written, expected: "a comparison"),
                    at: token == .end ? start : position)
            }
            return .comparison(try name(), relation.flipped, operand)
        }
        let name = try name()
        if let relation = try relation() { return .comparison(name, relation, try operand()) }
        if try take(word: "is") {
            let isNot = try take(word: "not")
            let start = position
            if try !take(word: "null") { try expect(word: "nil", "NULL") }
            return .comparison(
                name, isNot ? .notEqual : .equal, .init(value: .none, position: start))
        }
        let isNot = try take(word: "not")
        guard let found = try wordComparison(name) else {
            if isNot { throw unexpected("IN, BETWEEN, BEGINSWITH, CONTAINS or LIKE") }
            return .truth(name)
        }
        return isNot ? .not(found) : found
    }

    private mutating func wordComparison(
        _ name: QueryStatement.Name
    ) throws(QuerySyntaxError) -> QueryStatement.Clause? {
        if try take(word: "in") {
            try expect(symbol: "(")
            var parts: [QueryStatement.Clause] = []
            if try take(symbol: ")") { return .constant(false) }
            repeat {
                parts.append(.comparison(name, .equal, try operand()))
            } while try take(
                symbol: ",")
            try expect(symbol: ")")
            return .any(parts)
        }
        if try take(word: "between") {
            let lower = try operand()
            try expect(word: "and", "AND")
            return .all([
                .comparison(name, .greaterOrEqual, lower),
                .comparison(name, .lessOrEqual, try operand()),
            ])
        }
        if try take(word: "beginswith") { return .beginsWith(name, try operand()) }
        if try take(word: "contains") { return .contains(name, try operand()) }
        if try take(word: "like") { return .like(name, try operand()) }
        return nil
    }

    private mutating func relation() throws(QuerySyntaxError) -> FieldRelation? {
        guard case .symbol(let text) = token else { return nil }
        let known = text == "==" ? "=" : text == "<>" ? "!=" : text
        guard let relation = FieldRelation(rawValue: known) else { return nil }
        try advance()
        return relation
    }

    // MARK: Words

    private mutating func advance() throws(QuerySyntaxError) {
        (token, position) = try lexer.next()
    }

    private var isAtTail: Bool {
        switch token {
        case .end, .word("order", _), .word("limit", _), .word("offset", _): true
        default: false
        }
    }

    private var isName: Bool {
        switch token {
        case .name: true
        case .word(let word, _): !Self.reserved.contains(word)
        default: false
        }
    }

    /// The name of a field, perhaps behind those of relationships and dots.
    private mutating func name() throws(QuerySyntaxError) -> QueryStatement.Name {
        let start = position
        var parts: [String] = []
        repeat {
            switch token {
            case .name(let text): parts.append(text)
            // Behind a dot nothing but a name can stand.
            case .word(let word, let written) where !parts.isEmpty || !Self.reserved.contains(word):
                parts.append(written)
            default: throw unexpected("the name of a field")
            }
            try advance()
        } while try take(symbol: ".")
        return .init(path: Array(parts.dropLast()), text: parts[parts.count - 1], position: start)
    }

    private mutating func operand(
        _ expected: String = "a value"
    ) throws(QuerySyntaxError) -> QueryStatement.Operand {
        let start = position
        let value: FieldValue
        switch token {
        case .number(let number): value = number
        case .text(let text): value = .text(text)
        case .parameter(let given?): value = given
        case .parameter(nil):
            guard let next = parameters.popFirst() else {
                throw lexer.error(.missingParameter, at: position)
            }
            value = next
        case .word("true", _): value = .bool(true)
        case .word("false", _): value = .bool(false)
        case .word("null", _), .word("nil", _): value = .none
        default: throw unexpected(expected)
        }
        try advance()
        return .init(value: value, position: start)
    }

    /// A number of rows.
    private mutating func count() throws(QuerySyntaxError) -> Int {
        let operand = try operand("a number of rows")
        guard case .integer(let value) = operand.value, let count = Int(exactly: value), count >= 0
        else { throw lexer.error(.badNumber(operand.value.queryText), at: operand.position) }
        return count
    }

    private mutating func take(word: String) throws(QuerySyntaxError) -> Bool {
        guard case .word(word, _) = token else { return false }
        try advance()
        return true
    }

    private mutating func take(symbol: String) throws(QuerySyntaxError) -> Bool {
        guard token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    private mutating func expect(word: String, _ shown: String) throws(QuerySyntaxError) {
        if try !take(word: word) { throw unexpected(shown) }
    }

    private mutating func expect(symbol: String) throws(QuerySyntaxError) {
        if try !take(symbol: symbol) { throw unexpected("'\(symbol)'") }
    }

    /// Takes a word that begins a part behind the condition. What compares it says that a field was meant.
    private mutating func takeTail(_ word: String) throws(QuerySyntaxError) -> Bool {
        let (start, name) = (position, token)
        guard try take(word: word) else { return false }
        let isCompared =
            switch token {
            case .symbol("="), .symbol("=="), .symbol("!="), .symbol("<>"), .symbol("<"),
                .symbol("<="), .symbol(">"), .symbol(">="), .word("is", _), .word("not", _),
                .word("in", _), .word("between", _), .word("beginswith", _), .word("contains", _),
                .word("like", _):
                true
            default: false
            }
        if isCompared {
            (token, position) = (name, start)
            throw unexpected("the name of a field")
        }
        return true
    }

    /// - Parameter expected: what a word of the language does not stand for, unless it is a field's name.
    private func unexpected(_ expected: String) -> QuerySyntaxError {
        var expected = expected
        if case .word(let word, let written) = token, Self.reserved.contains(word) {
            expected += "; a field of this name stands in backquotes: `\(written)`"
        }
        return lexer.error(.unexpected(found: written, expected: expected), at: position)
    }

    /// The token as it was written.
    private var written: String {
        switch token {
        case .word(_, let written): written
        case .name(let name): "`\(name)`"
        case .number(let value): value.queryText
        case .text(let text): "'\(text)'"
        case .parameter: "?"
        case .symbol(let symbol): symbol
        case .end: ""
        }
    }
}
