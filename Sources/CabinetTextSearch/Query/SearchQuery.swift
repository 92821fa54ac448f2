/// What a full-text search looks for. `Sendable`: a value.
///
/// | a query | finds texts with |
/// |---|---|
/// | `blue train` | both words, anywhere |
/// | `"blue train"`, `"blue tr"*` | the words one after the other; the last may go on |
/// | `col*` | a word that begins with `col` |
/// | `blue OR red`, `blue \|\| red` | one of them |
/// | `blue NOT red`, `blue -red` | the first and not the second |
/// | `blue AND (red OR green)`, `blue && red` | as written |
/// | `title:blue`, `title:(blue OR red)` | in that field |
/// | `NEAR(blue "new train" col*, 5)` | all, with at most 5 words between the first and the last; 10 if no number is given |
/// | `[[blue]]` `[[blue*]]` `[[*lue]]` `[[*lu*]]` | a word; its beginning; its end; a part of it |
///
/// `OR`, `AND`, `NOT` and `NEAR` are capitals. Excluding comes first, then `AND` or nothing, then `OR`.
/// Typographic quotes count as `"`; a `"` within quotes is doubled. A word that a tokenizer takes apart,
/// such as `e-mail`, is looked for as a phrase; one without letters, such as `&`, is passed over. A `:` behind
/// a name and a `-` before a word have no space behind them, and brackets stand in pairs around a word. The
/// forms in brackets are those of BNRPersistence (2010), which had them from Tokyo Dystopia.
public struct SearchQuery: Sendable, Hashable {
    /// The text that the query was made from.
    public let text: String
    /// `nil` finds nothing.
    let expression: SearchExpression?

    /// The most words that a query has, those of phrases and operators counted, as
    /// ``Tokenizer/words`` takes them apart: what a search does grows with them, and of a phrase
    /// with the words of each text, too.
    public static let wordLimit = 4_096
    /// How many words of a typed query count.
    public static let typedWordLimit = 32
    /// How many letters, as Unicode scalars, of a word of a typed query count: what follows them
    /// may be anything.
    public static let typedLetterLimit = 256

    /// Reads a query.
    ///
    /// - Throws: ``QuerySyntaxError`` with the place, if `text` is malformed, or if it, or one of its
    ///   alternatives, only excludes, or if it has more than ``wordLimit`` words. Names of fields are checked by
    ///   the search.
    public init(_ text: String) throws(QuerySyntaxError) {
        self.text = text
        var parser = SearchParser(text)
        expression = try parser.parse()
        if let position = Self.firstSurplusWord(text) {
            throw QuerySyntaxError(
                reason: .tooManyWords(limit: Self.wordLimit), position: position, text: text)
        }
    }

    /// Where the first word stands that is too much.
    private static func firstSurplusWord(_ text: String) -> Int? {
        // Each word has a byte.
        guard text.utf8.count > wordLimit else { return nil }
        var (words, position) = (0, Int?.none)
        Tokenizer.words.forEachToken(in: text, for: .query, TokenWorkspace()) { token in
            words += 1
            if words == wordLimit + 1 { position = token.range.lowerBound }
        }
        return position
    }

    /// Takes what a person has typed so far: nothing in it is an operator, so this never fails.
    ///
    /// All words must match; the last one may go on. Words are forgiven typos by `tolerance`; hits with
    /// fewer typos come first. A text without a word finds nothing; words beyond ``typedWordLimit`` do not
    /// count, nor do letters beyond ``typedLetterLimit``. Words that a tokenizer takes apart are looked for
    /// without typos. A last word that may become a stop word, or in French lean on one that is not typed yet, may be
    /// missing.
    public init(typed text: String, tolerance: SearchTolerance = .automatic) {
        self.text = text
        let words = text.split(whereSeparator: \.isWhitespace).prefix(Self.typedWordLimit)
        let leaves = words.enumerated().map { index, word in
            let counted = word.unicodeScalars.prefix(Self.typedLetterLimit)
            let goesOn = counted.endIndex < word.endIndex || index == words.count - 1
            return SearchLeaf(
                text: String(counted), kind: .fuzzy(tolerance, isPrefix: goesOn))
        }
        expression = leaves.isEmpty ? nil : .all(leaves.map(SearchExpression.leaf))
    }

    /// - Throws: ``QuerySyntaxError/Reason/unknownField(_:known:)`` if the query names a field that is not
    ///   among `known`.
    package func checkFields(known: [String]) throws(QuerySyntaxError) {
        for (name, position) in expression?.fields ?? [] where !known.contains(name) {
            throw QuerySyntaxError(
                reason: .unknownField(name, known: known), position: position, text: text)
        }
    }
}
