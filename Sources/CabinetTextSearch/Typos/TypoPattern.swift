/// A word that others are compared with, allowing for typos: the restricted Damerau-Levenshtein distance
/// (Wagner and Fischer 1974, with the exchange of two neighbours as Damerau 1964 counts it), in which
/// everything that touches the first letter of the word costs two.
///
/// Letters are Unicode scalars. `Sendable`: a value.
package struct TypoPattern: Sendable, Hashable {
    let letters: [UInt32]
    /// The highest cost that matches, 0 to 2.
    package let limit: Int
    /// Whether only the beginning of the other word has to match.
    let isPrefix: Bool

    package init(_ word: UnsafeRawBufferPointer, limit: Int, isPrefix: Bool) {
        var letters: [UInt32] = []
        let bytes = word.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while offset < bytes.count {
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
            letters.append(value)
            offset += length
        }
        self.letters = letters
        self.limit = limit
        self.isPrefix = isPrefix
    }

    /// What it takes to make `word` of this; `nil` if that is more than ``limit``.
    package func cost(of word: UnsafeRawBufferPointer) -> Int? {
        var rows = TypoRows(self)
        return rows.cost(of: word)
    }
}
