import CabinetBackend
import CabinetTextSearch

extension Store {
    /// Words that go on as the last word in `typed` does, and stand in texts of `property`: those with the
    /// fewest typos first, then those in the most objects, then in the order of their letters. A search for one finds
    /// so many objects: what would be looked for as several words, as emoji whose joiners are left out, is none.
    ///
    /// ```swift
    /// for found in try store.suggestions(for: "blue bea", in: \Song.title) {
    ///     print(found.word, found.count)        // beatles 12, beach 7, …
    /// }
    /// ```
    ///
    /// They come from the dictionary of the property's text index. Pending changes count, and texts that were
    /// changed since the index was last brought into form: such objects, mostly fewer than 512, are looked at.
    /// While the index is not complete, every object is. Words of one and two letters can have many
    /// continuations: the call reads the dictionary of all of them, some 10 µs for 1,000 words.
    /// - Parameters:
    ///   - typed: what a person has typed. Behind a space no word is being typed, and nothing is suggested.
    ///   - property: a property with a text index; one whose tokenizer is ``Tokenizer/substring`` has no
    ///     words. Of several, the first whose tokenizer is of words is asked, then the first of the program's own.
    ///   - limit: how many words at most.
    ///   - tolerance: how many typos are forgiven; none at first. A tolerance costs a look at all words with
    ///     the same first letter, or where it forgives two, at all words.
    /// - Throws: ``StoreError/notSearchable(class:text:)`` for a property without a text index; what
    ///   ``StoreQuery/objects()`` throws.
    public func suggestions<Object: StoredObject>(
        for typed: String, in property: PartialKeyPath<Object>, limit: Int = 10,
        tolerance: SearchTolerance = .none
    ) throws -> [TextSuggestion] {
        let storedClass = try classToRead(Object.self)
        let texts = try searchableTexts(of: storedClass, property)
        let text =
            texts.first { $0.index.tokenizer.isOfWords }
            ?? texts.first { !$0.index.tokenizer.makesParts }
        guard let text, limit > 0,
            let pattern = TypedWord(typed, text.index.tokenizer, tolerance)
        else { return [] }
        var words = WordCounts(self, text, pattern)
        return try words.suggestions(limit: limit)
    }
}

extension Tokenizer {
    /// Whether its terms are words as Unicode separates them.
    fileprivate var isOfWords: Bool { if case .words = method { true } else { false } }
}

/// The word that a person is typing.
struct TypedWord {
    /// As an index has it, with its mark.
    let term: [UInt8]
    let test: TermPattern
    /// How many typos are forgiven.
    let limit: Int

    /// `nil` if no word is being typed.
    init?(_ typed: String, _ tokenizer: Tokenizer, _ tolerance: SearchTolerance) {
        guard !tokenizer.makesParts, let last = typed.last, !last.isWhitespace else { return nil }
        let piece = typed.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
        var found: [UInt8]?
        tokenizer.forEachToken(in: piece, for: .wholeWords, TokenWorkspace()) {
            found = Array($0.term)
        }
        guard let term = found else { return nil }
        self.term = term
        let mark = term.first == WordTokens.wholeMark ? 1 : 0
        limit = tolerance.limit(letters: term.filter { $0 & 0xC0 != 0x80 }.count - mark)
        test = TermPattern(
            kind: limit > 0 ? .fuzzy(limit: limit, isPrefix: true) : .prefix, term: term, offset: 0)
    }

    /// What all words of interest begin with. A typo at the first letter counts as two.
    var stem: [UInt8] {
        if limit == 0 { return term }
        let mark = test.markLength
        if limit > 1 { return Array(term.prefix(mark)) }
        let rest = term.dropFirst(mark).dropFirst().drop { $0 & 0xC0 == 0x80 }
        return Array(term.prefix(term.count - rest.count))
    }
}
