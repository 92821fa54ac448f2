/// What stands between two boundaries of words (Unicode Standard Annex 29, section 4.1.1).
struct WordSegment {
    enum Kind {
        case nothing, word, emoji, units
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var end: Int

    /// - Parameter start: a boundary within `bytes`.
    init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
        self.bytes = bytes
        end = start
    }

    /// Moves ``end`` to the next boundary and says what lies before it.
    mutating func take() -> Kind {
        let (first, length) = read(at: end)
        end += length
        switch first {
        case .unit:
            takeUnits()
            return .units
        case .pictograph:
            takeEmoji()
            return .emoji
        case .regional:
            takeExtensions()
            if let (next, length) = peek(end), next == .regional { end += length }
            takeExtensions()
            return .emoji
        case .letter, .hebrew, .numeric, .connector: return takeWord(first)
        default:
            takeExtensions()
            return .nothing
        }
    }

    private func read(at offset: Int) -> (WordClass, length: Int) {
        let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
        return (WordClass.of(value), length)
    }

    /// The class of the scalar at `offset`; `nil` at the end.
    private func peek(_ offset: Int) -> (WordClass, length: Int)? {
        offset < bytes.count ? read(at: offset) : nil
    }

    /// WB4: what extends a scalar belongs to it.
    private mutating func takeExtensions() {
        while let (next, length) = peek(end), next == .extend { end += length }
    }

    /// Letters of scripts without spaces, each with its marks.
    private mutating func takeUnits() {
        while let (next, length) = peek(end), next == .unit || next == .extend { end += length }
    }

    /// WB3c: emoji that joiners join.
    private mutating func takeEmoji() {
        while let (next, length) = peek(end) {
            guard next == .extend || next == .pictograph && isBehindJoiner else { return }
            end += length
        }
    }

    /// Whether U+200D stands before ``end``.
    private var isBehindJoiner: Bool {
        end >= 3 && bytes[end - 3] == 0xE2 && bytes[end - 2] == 0x80 && bytes[end - 1] == 0x8D
    }

    /// WB5 to WB13b. `last` is the class of the scalar before ``end`` that extends none.
    private mutating func takeWord(_ first: WordClass) -> Kind {
        var last = first
        var kind = first == .connector ? Kind.nothing : .word
        takeExtensions()
        while let (next, length) = peek(end) {
            switch next {
            case .letter, .hebrew, .numeric:
                kind = .word
                last = next
                end += length
            case .connector:
                last = next
                end += length
            case .midLetter, .midNumber, .midBoth, .apostrophe, .quote:
                let isJoined = joins(next, last, end + length)
                // WB7a: an apostrophe behind a Hebrew letter belongs to it.
                guard isJoined || next == .apostrophe && last == .hebrew else { return kind }
                end += length
                if !isJoined {
                    takeExtensions()
                    return kind
                }
            default: return kind
            }
            takeExtensions()
        }
        return kind
    }

    /// Whether `middle`, behind which the text goes on at `offset`, joins what follows to `last`.
    private func joins(_ middle: WordClass, _ last: WordClass, _ offset: Int) -> Bool {
        var offset = offset
        while let (next, length) = peek(offset), next == .extend { offset += length }
        guard let (next, _) = peek(offset) else { return false }
        let isLetters =
            (last == .letter || last == .hebrew) && (next == .letter || next == .hebrew)
        let isNumbers = last == .numeric && next == .numeric
        return switch middle {
        case .midLetter: isLetters
        case .midNumber: isNumbers
        case .midBoth, .apostrophe: isLetters || isNumbers
        default: last == .hebrew && next == .hebrew
        }
    }
}
