import CabinetTextSearch

/// The terms of texts that a text index counts.
///
/// Not `Sendable`: it has memory that it uses again from text to text.
struct TextTerms {
    /// Where postings have no lengths, a term of each text with others: its position is the text's length. A
    /// byte that no text has in UTF-8.
    static let endByte: UInt8 = 0xFF
    static let end = [endByte]

    let tokenizer: Tokenizer
    private let workspace = TokenWorkspace()

    init(_ tokenizer: Tokenizer) { self.tokenizer = tokenizer }

    /// Calls `body` with each term of a text that counts. Returns the text's length: how many positions
    /// it has up to the last term.
    @inline(__always)
    func forEachTerm(
        in text: UnsafeBufferPointer<UInt8>, _ body: (Token) throws -> Void
    ) throws -> Int {
        struct Enough: Error {}
        var (count, length) = (0, 0)
        do {
            try tokenizer.forEachToken(in: text, workspace) { token in
                guard count < Tokenizer.termLimit else { throw Enough() }
                count &+= 1
                length = token.position &+ 1
                try body(token)
            }
        } catch is Enough {}
        return length
    }

    /// Calls `body` with each term of a text that counts, its bytes as the highest ones of a number and how
    /// many they are, if the terms are parts of words and the text is ASCII. Returns the text's length;
    /// `nil` for other terms or texts, of which nothing was given.
    @inline(__always)
    func forEachPackedTerm(
        in text: UnsafeBufferPointer<UInt8>, _ body: (UInt64, Int) -> Void
    ) -> Int? {
        guard case .substring = tokenizer.method else { return nil }
        return GramTokens.forEachPacked(in: text, limit: Tokenizer.termLimit, body)
    }
}
