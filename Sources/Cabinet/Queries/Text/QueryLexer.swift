import CabinetTextSearch

/// Takes the text of a query apart into tokens.
struct QueryLexer {
    enum Token: Hashable {
        /// A word that is no quoted name, in lowercase, and as it was written.
        case word(String, written: String)
        /// A name in backquotes.
        case name(String)
        case number(FieldValue)
        case text(String)
        /// A `?`, and its value if that was interpolated.
        case parameter(FieldValue?)
        case symbol(String)
        case end
    }

    private let source: QueryText
    private let bytes: [UInt8]
    private var position = 0

    init(_ source: QueryText) {
        self.source = source
        bytes = Array(source.text.utf8)
    }

    func error(_ reason: QuerySyntaxError.Reason, at position: Int) -> QuerySyntaxError {
        QuerySyntaxError(reason: reason, position: position, text: source.text)
    }

    /// The next token and where it begins.
    mutating func next() throws(QuerySyntaxError) -> (token: Token, position: Int) {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
            position += 1
        }
        let start = position
        guard start < bytes.count else { return (.end, start) }
        let byte = bytes[start]
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return (.text(try quoted(by: byte)), start)
        case UInt8(ascii: "`"): return (.name(try quoted(by: byte)), start)
        case UInt8(ascii: "?"):
            position += 1
            return (.parameter(source.interpolated[start]), start)
        case _ where Self.isDigit(byte) || byte == UInt8(ascii: "-"):
            return (.number(try number()), start)
        case _ where Self.isLetter(byte):
            let written = take { Self.isLetter($0) || Self.isDigit($0) }
            return (.word(written.lowercased(), written: written), start)
        default:
            return (.symbol(symbol()), start)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Letters of ASCII, `_`, and all that is not ASCII.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == 0x5F || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
    }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, isWanted(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// What stands up to the next `quote` that is not doubled.
    private mutating func quoted(by quote: UInt8) throws(QuerySyntaxError) -> String {
        let start = position
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                guard position < bytes.count, bytes[position] == quote else {
                    return String(decoding: content, as: UTF8.self)
                }
            } else if source.interpolated[position] != nil {
                throw error(.valueInText, at: position)
            }
            content.append(byte)
            position += 1
        }
        throw error(.unterminatedText, at: start)
    }

    private mutating func number() throws(QuerySyntaxError) -> FieldValue {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        var text = take { Self.isDigit($0) || Self.isLetter($0) || $0 == UInt8(ascii: ".") }
        let isExponent = text.last == "e" || text.last == "E"
        if isExponent, position < bytes.count, [0x2B, 0x2D].contains(bytes[position]) {
            position += 1
            _ = take(while: Self.isDigit)
        }
        text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let value = Int128(text) { return .integer(value) }
        if let value = UInt128(text) { return .largeInteger(value) }
        guard let value = Double(text), value.isFinite, text.last?.isNumber == true else {
            throw error(.badNumber(text), at: start)
        }
        return .double(value)
    }

    private mutating func symbol() -> String {
        let pairs = ["==", "!=", "<>", "<=", ">="]
        if position + 1 < bytes.count {
            let pair = String(decoding: bytes[position...position + 1], as: UTF8.self)
            if pairs.contains(pair) {
                position += 2
                return pair
            }
        }
        position += 1
        return String(decoding: [bytes[position - 1]], as: UTF8.self)
    }
}
