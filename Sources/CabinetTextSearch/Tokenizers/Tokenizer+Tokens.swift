extension Tokenizer {
    /// How many terms of a text count. What follows is not found, so no text needs more memory.
    package static let termLimit = 2_000_000
    /// How often a term counts in one text.
    package static let placeLimit = 1 << 20

    /// Calls `body` for each term of `text`, in the order of their positions.
    ///
    /// Takes no memory for a text in ASCII, and for any other text an amount that does not depend on
    /// its length. A tokenizer of the program's own makes a string of the text.
    @inline(__always)
    package func forEachToken(
        in text: UnsafeBufferPointer<UInt8>, for purpose: TokenPurpose = .text,
        _ workspace: TokenWorkspace, _ body: (Token) throws -> Void
    ) rethrows {
        switch method {
        case .words(let options):
            try WordTokens(options, workspace).forEach(in: text, for: purpose, body)
        case .substring: try GramTokens(workspace).forEach(in: text, for: purpose, body)
        case .own(let tokenize): try OwnTokens(tokenize).forEach(in: text, body)
        }
    }

    /// Calls `body` for each term of `text`.
    package func forEachToken(
        in text: String, for purpose: TokenPurpose = .text, _ workspace: TokenWorkspace,
        _ body: (Token) throws -> Void
    ) rethrows {
        var text = text
        try text.withUTF8 { try forEachToken(in: $0, for: purpose, workspace, body) }
    }
}

struct OwnTokens {
    private let tokenize: @Sendable (String, (String, Range<String.Index>) -> Void) -> Void

    init(_ tokenize: @escaping @Sendable (String, (String, Range<String.Index>) -> Void) -> Void) {
        self.tokenize = tokenize
    }

    /// The terms are collected first, as the program's code cannot pass on an error.
    func forEach(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Token) throws -> Void) rethrows {
        let text = String(decoding: bytes, as: UTF8.self)
        var found: [(term: String, range: Range<Int>)] = []
        tokenize(text) { term, range in
            guard !term.isEmpty else { return }
            // Indexes of another string, such as a folded copy, may lie behind the end.
            func offset(_ index: String.Index) -> Int {
                min(max(text.utf8.distance(from: text.startIndex, to: index), 0), bytes.count)
            }
            let lower = offset(range.lowerBound)
            found.append((term, lower..<max(offset(range.upperBound), lower)))
        }
        for (position, item) in found.enumerated() {
            var buffer = TermBuffer()
            defer { buffer.deallocate() }
            for scalar in item.term.unicodeScalars {
                UTF8Decoding.append(scalar.value, to: &buffer)
            }
            try body(Token(term: buffer.bytes, position: position, range: item.range))
        }
    }
}
