import CabinetBackend

/// What distinguishes tokenizers of words.
package struct WordOptions: Sendable {
    package let stemmer: Stemmer?
    let folding: ScalarFolding
    /// How words are folded before they are stemmed: with their accents, on which stems can depend.
    let wordFolding: ScalarFolding
    let stopWords: TermSet
    /// Whether words are terms as soon as they are folded.
    var isPlain: Bool { stemmer == nil && stopWords.isEmpty }

    /// - Parameter stopWords: as they are written; folded here. Of one that is several terms, its parts are
    ///   words of their own: it does not count.
    init(stemmer: Stemmer?, folding: ScalarFolding, stopWords: Set<String>) {
        self.stemmer = stemmer
        self.folding = folding
        wordFolding = stemmer == nil ? folding : .withMarks
        var terms: Set<[UInt8]> = []
        let words = Self(folding: wordFolding)
        let workspace = TokenWorkspace()
        for word in stopWords {
            var own: [[UInt8]] = []
            WordTokens(words, workspace).forEach(in: word, for: .query) { token in
                own.append(Array(token.term))
            }
            if own.count == 1 { terms.insert(own[0]) }
        }
        self.stopWords = TermSet(terms)
    }

    private init(folding: ScalarFolding) {
        stemmer = nil
        self.folding = folding
        wordFolding = folding
        stopWords = TermSet()
    }
}

/// A set of terms that is asked without making an array.
package struct TermSet: Sendable, Hashable {
    /// Sorted, without repetition.
    let terms: [[UInt8]]
    private let sums: Set<UInt64>

    init(_ terms: Set<[UInt8]> = []) {
        self.terms = terms.inOrder { $0.lexicographicallyPrecedes($1) }
        sums = Set(terms.map { term in term.withUnsafeBytes { Self.sum($0) } })
    }

    var isEmpty: Bool { terms.isEmpty }

    func contains(_ term: UnsafeRawBufferPointer) -> Bool {
        guard sums.contains(Self.sum(term)) else { return false }
        return terms.contains { $0.elementsEqual(term) }
    }

    /// FNV-1a, 64 bits (Fowler, Noll and Vo).
    package static func sum(
        _ bytes: UnsafeRawBufferPointer, _ start: UInt64 = 0xCBF2_9CE4_8422_2325
    ) -> UInt64 {
        var sum = start
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return sum
    }
}
