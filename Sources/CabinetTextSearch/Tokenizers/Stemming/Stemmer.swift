/// Languages whose words are reduced to stems, by the algorithms that the Snowball project describes
/// (snowballstem.org, M. F. Porter and others), written anew from these descriptions.
///
/// A stem is no word: it only has to be the same for the forms of a word.
package enum Stemmer: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"

    /// Reduces the word in `term`, folded except for its accents; one cut off at the limit of terms
    /// is left as it is. `letters` is memory to use again.
    func stem(_ term: inout TermBuffer, _ letters: inout [UInt32]) {
        guard !term.isFull else { return }
        var word = StemWord(taking: &letters)
        term.decode(into: &word.letters)
        switch self {
        case .english: word.stemEnglish()
        case .german: word.stemGerman()
        case .french: word.stemFrench()
        }
        term.removeAll()
        for letter in word.letters { UTF8Decoding.append(letter, to: &term) }
        letters = word.letters
    }
}

/// A word while it is stemmed. Regions are given by where they begin; they end with the word.
struct StemWord {
    var letters: [UInt32]
    /// Behind the first consonant that follows a vowel.
    var first = 0
    /// The same within the first region.
    var second = 0

    /// Takes over the memory of `letters`, and leaves it empty.
    init(taking letters: inout [UInt32]) {
        self.letters = []
        swap(&self.letters, &letters)
        self.letters.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    func ends(in suffix: StaticString) -> Bool {
        let length = count(suffix)
        // Most suffixes differ in their last letter.
        guard length <= letters.count,
            letters[letters.count - 1] == UInt32(suffix.utf8Start[length - 1])
        else { return false }
        return matches(suffix, at: letters.count - length, length)
    }

    func begins(with prefix: StaticString) -> Bool {
        let length = count(prefix)
        return length <= letters.count && matches(prefix, at: 0, length)
    }

    func equals(_ text: StaticString) -> Bool {
        count(text) == letters.count && matches(text, at: 0, letters.count)
    }

    /// The first of `suffixes` that the word ends in; the longer ones must come first.
    @inline(__always)
    func ending(_ suffixes: [StaticString]) -> StaticString? {
        suffixes.first { ends(in: $0) }
    }

    mutating func drop(_ count: Int) { letters.removeLast(count) }

    mutating func append(_ text: StaticString) {
        for byte in Self.bytes(text) { letters.append(UInt32(byte)) }
    }

    /// Where the region of a suffix of `count` letters begins.
    func start(_ count: Int) -> Int { letters.count - count }

    /// Behind the first consonant that follows a vowel, from `start` on; the end if there is none.
    func region(from start: Int, _ isVowel: (UInt32) -> Bool) -> Int {
        var index = start
        while index < letters.count, !isVowel(letters[index]) { index += 1 }
        while index < letters.count, isVowel(letters[index]) { index += 1 }
        return min(index + 1, letters.count)
    }

    private func matches(_ text: StaticString, at offset: Int, _ length: Int) -> Bool {
        let bytes = Self.bytes(text)
        for index in 0..<length where letters[offset + index] != UInt32(bytes[index]) {
            return false
        }
        return true
    }

    func count(_ text: StaticString) -> Int { text.utf8CodeUnitCount }

    /// The letters of a rule, which is ASCII.
    private static func bytes(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

extension TermBuffer {
    func decode(into scalars: inout [UInt32]) {
        let bytes = UnsafeBufferPointer(start: base, count: count)
        var offset = 0
        while offset < count {
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
            scalars.append(value)
            offset += length
        }
    }
}
