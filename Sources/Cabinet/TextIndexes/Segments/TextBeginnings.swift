import CabinetTextSearch

/// Which terms of a text index have beginnings: first letters, of each of which a segment has the rows together,
/// as a search asks for them while a word is typed. `Sendable`: a value.
enum TextBeginnings: Sendable {
    /// None, as parts of texts have.
    case none
    /// The first letters of all terms.
    case words
    /// Those of whole words, which stand beside their stems.
    case wholeWords

    init(_ tokenizer: Tokenizer) {
        switch tokenizer.method {
        case .substring: self = .none
        case .words(let options): self = options.stemmer == nil ? .words : .wholeWords
        case .own: self = .words
        }
    }

    /// How many bytes of a term are its beginning: the first letter, with the mark before it. 0 if it has
    /// none, as letters behind U+07FF, of which there are many in scripts without spaces.
    @inline(__always)
    func length(in term: UnsafeRawBufferPointer) -> Int {
        var mark = 0
        switch self {
        case .none: return 0
        case .words: break
        case .wholeWords:
            guard term.first == WordTokens.wholeMark else { return 0 }
            mark = 1
        }
        guard mark < term.count else { return 0 }
        switch term[mark] {
        case 0..<0x80: return mark + 1
        case 0x80..<0xE0: return min(mark + 2, term.count)
        default: return 0
        }
    }
}
