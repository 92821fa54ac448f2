/// How texts are taken apart into the terms by which they are found.
///
/// An index that was built with a tokenizer is good as long as that stays what it was: ``name``,
/// ``version`` and ``fingerprint`` tell whether it did. Terms are folded: case, wide and narrow forms
/// and, unless told otherwise, accents make no difference. They follow the Unicode tables of the
/// running standard library.
///
/// A term is at most 192 bytes of UTF-8; longer words are cut off there, so they are found by their
/// beginning. Damaged UTF-8 separates words.
///
/// `Sendable`: its parts are. Tokenizers are equal if name, version and stop words are.
public struct Tokenizer: Sendable {
    /// What the tokenizer is known by in a store.
    public let name: String
    /// Counts changes of the way it works.
    public let version: Int
    package let method: Method

    package enum Method: Sendable {
        case words(WordOptions)
        case substring
        case own(@Sendable (String, (String, Range<String.Index>) -> Void) -> Void)
    }

    private init(_ name: String, version: Int = 1, _ method: Method) {
        self.name = name
        self.version = version
        self.method = method
    }

    /// Words, without stemming: see ``words(language:keepsDiacritics:stopWords:)``.
    public static let words = words()

    /// Words between the boundaries of Unicode Standard Annex 29, revision 45 (Unicode 16), folded.
    ///
    /// Rules WB1 to WB16 are kept, with these exceptions. Chinese, Japanese, Korean, Thai, Lao,
    /// Khmer and Burmese are not cut into words: each letter has a position of its own, and terms are
    /// all single letters and all pairs of neighbours, so any part of such a text is found, one
    /// letter too. Rule WB3c (a joiner before an emoji) counts within emoji only. Segments without a
    /// letter, a digit or an emoji are no words; signs that were there before emoji, such as `©`, `™` and `↔`,
    /// are none. An emoji with its modifiers, a family, a flag is one.
    ///
    /// A word that apostrophes join, such as `rock'n'roll`, is a term as a whole, and so is each of its parts:
    /// all at one position, with the range of the whole. Of a query it is the whole. A language knows what only
    /// leans on a word, and leaves it out of texts and queries: `'s` behind words of English and German, and in
    /// French what is elided (`l'`, `qu'`, `jusqu'` and their like). Of a Hebrew word with an apostrophe at its end, what
    /// stands before that is such a part. U+2018, U+2019, U+02BC and the wide apostrophe are as `'`.
    ///
    /// Case is folded as ``Collation/caseInsensitive`` does it. Accents, points of Hebrew and Arabic
    /// and the nukta of Indic scripts are dropped from the canonical decomposition; vowel signs, the
    /// virama, the marks of kana, and vowels and tones of Thai and Lao are not. So `é` is `e`, `й`
    /// is `и`, `أ` is `ا`, and the tatweel is left out. The soft hyphen and joiners are left out in any case.
    ///
    /// - Parameters:
    ///   - language: reduces words to stems by rules of this language, one of ``languages``. Whole
    ///     words are terms too, by which their parts are found: twice as many terms. `nil`: terms are
    ///     whole words.
    ///   - keepsDiacritics: whether accents, points and skin tones of emoji count.
    ///   - stopWords: words that are not found. Their positions stay, so phrases keep their distances.
    ///     They are compared before the stemming, and if there is one, with their accents. One that is
    ///     taken apart, such as `e-mail`, does not count.
    /// - Precondition: `language` is in ``languages``.
    public static func words(
        language: String? = nil, keepsDiacritics: Bool = false, stopWords: Set<String> = []
    ) -> Tokenizer {
        var name = "words"
        if let language { name += "." + language }
        if keepsDiacritics { name += ".diacritics" }
        let stemmer = language.flatMap(Stemmer.init(rawValue:))
        precondition(
            language == nil || stemmer != nil,
            "There is no stemming for '\(language ?? "")'; there is for \(languages).")
        let options = WordOptions(
            stemmer: stemmer, folding: keepsDiacritics ? .withMarks : .plain, stopWords: stopWords)
        return Tokenizer(name, version: 3, .words(options))
    }

    /// Every three neighbouring scalars of the folded text, so any part of it is found, within words
    /// and across them. The last two are followed by shorter terms, so parts of one and two scalars
    /// are the beginnings of terms.
    ///
    /// Folds as ``words`` does. An index has about as many terms as the text has characters.
    public static let substring = Tokenizer("substring", .substring)

    /// A tokenizer of your own.
    ///
    /// `tokenize` is called with a text and gives terms to its second parameter, one a position, each
    /// with the part of the text that it comes from, which highlights show; a range of another string is
    /// moved into the text. It must give the same terms for the same text in each run: raise `version` when it
    /// changes, as the index is wrong otherwise. Empty terms are ignored, long ones are cut off.
    /// It takes apart queries, too. Several threads may call it at once, and it must not wait for the
    /// one that saves.
    /// - Parameters:
    ///   - name: what the tokenizer is known by in a store. A built-in one with this name is another
    ///     tokenizer: the store knows yours as `own.` with this name.
    ///   - version: counts changes.
    ///   - tokenize: takes apart a text.
    public static func own(
        name: String, version: Int,
        _ tokenize:
            @escaping @Sendable (
                _ text: String, _ add: (_ term: String, _ range: Range<String.Index>) -> Void
            ) -> Void
    ) -> Tokenizer {
        Tokenizer("own." + name, version: version, .own(tokenize))
    }

    /// The languages that ``words(language:keepsDiacritics:stopWords:)`` knows rules for, as ISO 639-1
    /// names them.
    public static let languages = Stemmer.allCases.map(\.rawValue)
}

extension Tokenizer: Hashable {
    /// Whether name, version and stop words are equal.
    public static func == (one: Tokenizer, other: Tokenizer) -> Bool {
        one.name == other.name && one.version == other.version && one.stopWords == other.stopWords
    }

    /// Hashes name, version and stop words.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(version)
        hasher.combine(stopWords)
    }

    /// Whether the terms are parts of texts, of which each text has about as many as it has letters.
    package var makesParts: Bool { if case .substring = method { true } else { false } }

    var stopWords: TermSet {
        if case .words(let options) = method { options.stopWords } else { TermSet() }
    }
}

extension Tokenizer: CustomStringConvertible {
    /// Name and version.
    public var description: String { "\(name) \(version)" }
}
