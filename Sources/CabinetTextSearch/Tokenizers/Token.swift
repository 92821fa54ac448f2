/// A term of a text and where it stands. Not `Sendable`: it points into a buffer.
package struct Token {
    /// The folded term, UTF-8, 1 to ``TermBuffer/limit`` bytes, in the memory of a ``TermBuffer``, which is
    /// good during the callback.
    package let term: UnsafeRawBufferPointer
    /// The number of the word in its text, from 0. Several terms may share one, and numbers may be
    /// left out.
    package let position: Int
    /// The bytes of the source text that the term was made of.
    let range: Range<Int>
    /// How many positions it takes up: as many as letters that are counted one by one.
    var span = 1
}

/// What a text is taken apart for.
package enum TokenPurpose: Sendable {
    /// For an index: every term by which the text can be found.
    case text
    /// For a query: as few terms as are enough to find the text, at positions that a text which
    /// contains it has at the same distances.
    case query
    /// For a query that asks for a part of a word, or tolerates typos: like ``query``, but words are not
    /// stemmed, and stop words count.
    case wholeWords
}

/// Memory that tokenizers use again from text to text. Not `Sendable`: for one caller at a time.
///
/// Accesses are not checked for exclusivity at run time: no function keeps one while it calls another that
/// begins one, and the checks are a tenth of the instructions of a stemmed word.
package final class TokenWorkspace {
    @exclusivity(unchecked) var term = TermBuffer()
    /// The word before it was stemmed.
    @exclusivity(unchecked) var whole = TermBuffer()
    @exclusivity(unchecked) var letters: [UInt32] = []
    @exclusivity(unchecked) var given = GivenTerms()

    /// What each byte is to words of ASCII.
    let kinds = ASCIIKind.table
    /// What letters and digits of ASCII become without case.
    let lowered = ASCIIKind.lowered

    package init() {}

    deinit {
        term.deallocate()
        whole.deallocate()
    }
}
