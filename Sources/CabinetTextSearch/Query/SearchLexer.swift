struct SearchLexer {
    enum Token: Hashable {
        case word(String, isPrefix: Bool)
        case phrase(String, isPrefix: Bool)
        /// `[[…]]`, as the leaf that it means.
        case bracketed(SearchLeaf)
        /// A name and the colon behind it.
        case field(String)
        case and, or, not, open, close, comma, end
        /// `NEAR` and the parenthesis behind it.
        case near
    }

    let text: String
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    func error(_ reason: QuerySyntaxError.Reason, at position: Int) -> QuerySyntaxError {
        QuerySyntaxError(reason: reason, position: position, text: text)
    }

    /// The error that something else stands at `position` than expected.
    func unexpected(_ expected: String, at position: Int) -> QuerySyntaxError {
        error(.unexpected(found: found(at: position), expected: expected), at: position)
    }

    /// What stands at `position`, up to the next space, for an error.
    func found(at position: Int) -> String {
        var end = position
        while end < bytes.count, end - position < 40, spaceLength(at: end) == 0 { end += 1 }
        // No part of a scalar.
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    mutating func next(inNear: Bool) throws(QuerySyntaxError) -> (token: Token, position: Int) {
        while spaceLength(at: position) > 0 { position += spaceLength(at: position) }
        let start = position
        guard start < bytes.count else { return (.end, start) }
        if take("&&") { return (.and, start) }
        if take("||") { return (.or, start) }
        if take("[[") { return (.bracketed(try bracketed(start)), start) }
        if take("(") { return (.open, start) }
        if take(")") { return (.close, start) }
        if inNear, take(",") { return (.comma, start) }
        if take("NEAR(") { return (.near, start) }
        if take("-") {
            try requireContent("a word right behind '-'")
            return (.not, start)
        }
        if quoteLength(at: start) > 0 { return (try phrase(start), start) }
        return (try word(start, inNear), start)
    }

    /// How many bytes white space at `offset` takes (Unicode's `White_Space`: a Japanese keyboard
    /// types U+3000).
    private func spaceLength(at offset: Int) -> Int {
        guard offset < bytes.count else { return 0 }
        let byte = bytes[offset]
        guard byte >= 0x80 else { return byte == 0x20 || 0x09...0x0D ~= byte ? 1 : 0 }
        guard [0xC2, 0xE1, 0xE2, 0xE3].contains(byte) else { return 0 }
        let (value, length) = bytes.withUnsafeBufferPointer {
            UTF8Decoding.scalar(in: $0, at: offset)
        }
        return Unicode.Scalar(value)?.properties.isWhitespace == true ? length : 0
    }

    private func begins(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset + length <= bytes.count else { return false }
        return (0..<length).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard begins(text, at: position) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// How many bytes a quotation mark at `offset` takes; 0 if there is none.
    private func quoteLength(at offset: Int) -> Int {
        if bytes[offset] == 0x22 { return 1 }
        return begins("“", at: offset) || begins("”", at: offset) || begins("„", at: offset) ? 3 : 0
    }

    /// Requires that something stands at the position, before the next space.
    private func requireContent(_ expected: String) throws(QuerySyntaxError) {
        guard position == bytes.count || spaceLength(at: position) > 0 else { return }
        throw error(
            .unexpected(found: position == bytes.count ? "" : " ", expected: expected), at: position
        )
    }

    private mutating func phrase(_ start: Int) throws(QuerySyntaxError) -> Token {
        position += quoteLength(at: start)
        var content: [UInt8] = []
        while position < bytes.count {
            let length = quoteLength(at: position)
            if length > 0 {
                let isDoubled = begins("\"\"", at: position)
                position += isDoubled ? 2 : length
                if isDoubled {
                    content.append(0x22)
                    continue
                }
                guard !content.isEmpty else {
                    throw unexpected("a word within quotes", at: start)
                }
                return .phrase(String(decoding: content, as: UTF8.self), isPrefix: take("*"))
            }
            content.append(bytes[position])
            position += 1
        }
        throw error(.unterminatedText, at: start)
    }

    private mutating func bracketed(_ start: Int) throws(QuerySyntaxError) -> SearchLeaf {
        let begin = position
        while position < bytes.count, !begins("]]", at: position) { position += 1 }
        var content = begin..<position
        guard take("]]") else { throw error(.unterminatedBrackets, at: start) }
        let goesOn = bytes[content].last == 0x2A
        if goesOn { content.removeLast() }
        let beginsLater = bytes[content].first == 0x2A
        if beginsLater { content.removeFirst() }
        if let place = content.first(where: { [0x2A, 0x5B, 0x5D].contains(bytes[$0]) }) {
            throw unexpected("a word with '*' at its ends only", at: place)
        }
        guard !content.isEmpty else {
            throw unexpected("a word within '[[' and ']]'", at: begin)
        }
        let kind: SearchLeaf.Kind =
            switch (beginsLater, goesOn) {
            case (false, false): .term
            case (false, true): .prefix
            case (true, false): .suffix
            case (true, true): .substring
            }
        return SearchLeaf(text: String(decoding: bytes[content], as: UTF8.self), kind: kind)
    }

    private func endsWord(_ offset: Int, _ inNear: Bool) -> Bool {
        guard offset < bytes.count else { return true }
        let byte = bytes[offset]
        return byte == 0x28 || byte == 0x29 || spaceLength(at: offset) > 0
            || quoteLength(at: offset) > 0
            || inNear && byte == 0x2C || begins("&&", at: offset) || begins("||", at: offset)
            || begins("[[", at: offset)
    }

    private mutating func word(_ start: Int, _ inNear: Bool) throws(QuerySyntaxError) -> Token {
        var isName = true
        while !endsWord(position, inNear), bytes[position] != 0x2A {
            if bytes[position] == 0x3A {
                let name = start..<position
                if name.isEmpty { throw unexpected("the name of a field before ':'", at: start) }
                if isName {
                    position += 1
                    try requireContent("what to find right behind ':'")
                    return .field(String(decoding: bytes[name], as: UTF8.self))
                }
            }
            if bytes[position] == 0x5B || bytes[position] == 0x5D {
                throw unexpected("a word without brackets, or one in '[[' and ']]'", at: position)
            }
            isName = isName && Self.isInName(bytes[position], isFirst: position == start)
            position += 1
        }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        let isPrefix = take("*")
        guard !word.isEmpty, endsWord(position, inNear) else {
            let place = isPrefix ? position - 1 : position
            throw error(.unexpected(found: "*", expected: "a word with '*' at its end"), at: place)
        }
        switch word {
        case "AND" where !isPrefix: return .and
        case "OR" where !isPrefix: return .or
        case "NOT" where !isPrefix: return .not
        default: return .word(word, isPrefix: isPrefix)
        }
    }

    /// Whether the name of a field can have this byte: letters, digits, `_` and `.`, no digit first.
    private static func isInName(_ byte: UInt8, isFirst: Bool) -> Bool {
        byte >= 0x80 || byte == 0x5F || byte == 0x2E || 0x30...0x39 ~= byte && !isFirst
            || 0x61...0x7A ~= byte | 0x20
    }
}
