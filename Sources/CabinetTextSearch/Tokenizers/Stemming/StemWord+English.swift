/// Porter's second stemmer for English (snowballstem.org/algorithms/english/stemmer.html).
extension StemWord {
    mutating func stemEnglish() {
        guard letters.count > 2 else { return }
        if letters[0] == Self.apostrophe { letters.removeFirst() }
        if let stem = Self.irregular[letters] {
            letters = stem
            return
        }
        guard letters.count > 2 else { return }
        markConsonantalY()
        findEnglishRegions()
        dropPossessive()
        dropPlural()
        dropPast()
        replaceFinalY()
        replaceSuffixes()
        dropSuffixes()
        dropFinalLetter()
        for index in letters.indices where letters[index] == Self.consonantY {
            letters[index] = Self.vowelY
        }
    }

    static let apostrophe: UInt32 = 0x27
    static let vowelY = UInt32(UInt8(ascii: "y"))
    static let consonantY = UInt32(UInt8(ascii: "Y"))

    /// Words with stems of their own, and words that stay.
    private static let irregular: [[UInt32]: [UInt32]] = {
        let pairs = """
            skis ski skies sky idly idl gently gentl ugly ugli early earli only onli singly singl \
            sky sky news news howe howe atlas atlas cosmos cosmos bias bias andes andes
            """
        let words = pairs.split(separator: " ").map { $0.unicodeScalars.map(\.value) }
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: words.count, by: 2).map {
                (words[$0], words[$0 + 1])
            })
    }()

    static func isEnglishVowel(_ letter: UInt32) -> Bool {
        switch UInt8(truncatingIfNeeded: letter) {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"),
            UInt8(ascii: "u"), UInt8(ascii: "y"):
            letter < 0x80
        default: false
        }
    }

    func isVowel(at index: Int) -> Bool { Self.isEnglishVowel(letters[index]) }

    /// A `y` at the beginning or behind a vowel is a consonant.
    private mutating func markConsonantalY() {
        for index in letters.indices where letters[index] == Self.vowelY {
            if index == 0 || isVowel(at: index - 1) { letters[index] = Self.consonantY }
        }
    }

    private mutating func findEnglishRegions() {
        let prefixes: [StaticString] = [
            "gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter",
        ]
        if let prefix = prefixes.first(where: { begins(with: $0) }) {
            first = count(prefix)
        } else {
            first = region(from: 0, Self.isEnglishVowel)
        }
        second = region(from: first, Self.isEnglishVowel)
    }

    /// Whether the word up to `end` ends in a short syllable.
    func isShort(upTo end: Int) -> Bool {
        if end == 2 { return isVowel(at: 0) && !isVowel(at: 1) }
        guard end > 2 else { return false }
        let last = letters[end - 1]
        let isLong =
            last == UInt32(UInt8(ascii: "w")) || last == UInt32(UInt8(ascii: "x"))
            || last == Self.consonantY
        if !isVowel(at: end - 1), !isLong, isVowel(at: end - 2), !isVowel(at: end - 3) {
            return true
        }
        return end == 4 && begins(with: "past")
    }

    func hasVowel(before end: Int) -> Bool {
        end > 0 && (0..<end).contains { isVowel(at: $0) }
    }
}
