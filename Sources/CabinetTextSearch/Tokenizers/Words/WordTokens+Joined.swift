// Words that apostrophes join: `l'avion`, `France's`, `rock'n'roll`. All of their terms have one position and
// the range of the whole, so phrases and lengths do not depend on how a word is written.
extension WordTokens {
    static let apostrophe = UInt8(ascii: "'")

    /// Whether an apostrophe stands behind others in `term`, which is folded: also at the end of a Hebrew word, by
    /// rule WB7a, where it may as well end a quotation.
    @inline(__always)
    static func isJoined(_ term: UnsafeRawBufferPointer) -> Bool {
        term.count > 1 && term[1...].contains(apostrophe)
    }

    /// Gives the joined word in the workspace without clitics: in a text whole and in parts, each
    /// term once; in a query as a whole.
    func finishJoined(
        _ range: Range<Int>, _ purpose: TokenPurpose, _ position: Int,
        _ body: (Token) throws -> Void
    ) rethrows {
        options.stemmer?.dropClitic(&workspace.term)
        if isStopped(purpose) { return }
        guard purpose == .text, Self.isJoined(workspace.term.bytes) else {
            return try give(range, purpose, position, body)
        }
        let whole = Array(workspace.term.bytes)
        workspace.given.removeAll()
        try giveOnce(range, purpose, position, body)
        for part in whole.split(separator: Self.apostrophe) {
            workspace.term.removeAll()
            for byte in part { workspace.term.append(byte) }
            if !isStopped(purpose) { try giveOnce(range, purpose, position, body) }
        }
    }

    /// Gives those terms of the word in the workspace that were not given of the joined word before.
    private func giveOnce(
        _ range: Range<Int>, _ purpose: TokenPurpose, _ position: Int,
        _ body: (Token) throws -> Void
    ) rethrows {
        try give(range, purpose, position) { token in
            if workspace.given.insert(token.term) { try body(token) }
        }
    }
}

/// The terms that were given of one word. Memory that is used again.
struct GivenTerms {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Notes a term. `false` if it was given before.
    mutating func insert(_ term: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        for end in ends {
            if bytes[start..<end].elementsEqual(term) { return false }
            start = end
        }
        bytes += term
        ends.append(bytes.count)
        return true
    }
}

extension Stemmer {
    /// Takes from a word what an apostrophe joins to it and is no word of its own: in English and
    /// German `'s` at its end, in French an elided article, pronoun or conjunction at its
    /// beginning.
    func dropClitic(_ term: inout TermBuffer) {
        let whole = term.bytes
        switch self {
        case .english, .german:
            let end = whole.count - 2
            if end > 0, whole[end] == WordTokens.apostrophe, whole[end + 1] == UInt8(ascii: "s") {
                term.keep(0..<end)
            }
        case .french:
            guard let mark = whole.firstIndex(of: WordTokens.apostrophe), mark < whole.count - 1,
                Self.elided.contains(where: { $0.elementsEqual(whole[..<mark]) })
            else { return }
            term.keep(mark + 1..<whole.count)
        }
    }

    /// Whether an apostrophe behind a word, or one that it begins, joins that to the next one as what is no word of its
    /// own.
    func mayElide(_ prefix: some Sequence<UInt8>) -> Bool {
        self == .french && Self.elided.contains { $0.starts(with: prefix) }
    }

    /// What French elides before a vowel. `aujourd'hui`, `presqu'île` and `quelqu'un` are words.
    private static let elided: [[UInt8]] = [
        "c", "d", "j", "l", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu",
    ].map { Array($0.utf8) }
}
