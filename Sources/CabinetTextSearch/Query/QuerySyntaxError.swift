/// Why a text is no query, or none on the class that it is used for. `Sendable`: a value.
public struct QuerySyntaxError: Error, Hashable, Sendable {
    /// What is wrong. `Sendable`: a value.
    public enum Reason: Hashable, Sendable {
        /// `found` stands where `expected` should be. At the end, `found` is empty.
        case unexpected(found: String, expected: String)
        /// A quoted text has no end.
        case unterminatedText
        /// `[[` without `]]`.
        case unterminatedBrackets
        /// A value was interpolated within quotes.
        case valueInText
        /// A number that cannot be read.
        case badNumber(String)
        /// The class has no declared field of that name; it has those in `known`.
        case unknownField(String, known: [String])
        /// Values of the field, which is of type `type`, cannot be compared in this way with what
        /// stands here.
        case notComparable(field: String, type: String)
        /// There are fewer parameters than `?`.
        case missingParameter
        /// There are more parameters than `?`: so many in all.
        case surplusParameters(Int)
        /// A search has more words than ``SearchQuery/wordLimit``.
        case tooManyWords(limit: Int)
        /// Parentheses, `NOT` and names of fields are nested more than 200 deep, all counted.
        case tooDeep
    }

    /// What is wrong.
    public let reason: Reason
    /// Where: so many bytes of UTF-8 stand before it in ``text``.
    public let position: Int
    /// The text of the query.
    public let text: String

    package init(reason: Reason, position: Int, text: String) {
        (self.reason, self.position, self.text) = (reason, position, text)
    }
}

extension QuerySyntaxError: CustomStringConvertible {
    /// What is wrong, and where: the text with a mark below the place.
    public var description: String {
        let before = String(decoding: text.utf8.prefix(position), as: UTF8.self)
        let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
        let mark = String(repeating: " ", count: line.count) + "^"
        let start = text.utf8.index(text.startIndex, offsetBy: before.utf8.count - line.utf8.count)
        let shown = text[start...].prefix { $0 != "\n" }
        return "\(reason.text), at \(position):\n\(shown)\n\(mark)"
    }
}

extension QuerySyntaxError.Reason {
    fileprivate var text: String {
        switch self {
        case .unexpected("", let expected): "The text ends where \(expected) is expected"
        case .unexpected(let found, let expected): "Found '\(found)' in place of \(expected)"
        case .unterminatedText: "The quoted text has no end"
        case .unterminatedBrackets: "There is no ']]' for this '[['"
        case .valueInText: "A value cannot be interpolated within quotes"
        case .badNumber(let text): "'\(text)' is no number"
        case .unknownField(let name, let known):
            "There is no field '\(name)'; there are: \(known.joined(separator: ", "))"
        case .notComparable(let field, let type):
            "The field '\(field)' is of type \(type), which cannot be compared so"
        case .missingParameter: "There is no parameter for this '?'"
        case .surplusParameters(let count): "There are \(count) parameters, more than '?'"
        case .tooManyWords(let limit): "A search has at most \(limit) words"
        case .tooDeep: "The condition is nested too deep"
        }
    }
}
