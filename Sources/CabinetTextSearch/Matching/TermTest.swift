import CLibrary

/// Asks terms whether they match a pattern. Not `Sendable`: it has memory for the question.
package struct TermTest {
    let pattern: TermPattern
    private var rows: TypoRows?

    package init(_ pattern: TermPattern) {
        self.pattern = pattern
        guard case .fuzzy(let limit, let isPrefix) = pattern.kind else { return }
        rows = pattern.term.withUnsafeBytes { term in
            let word = UnsafeRawBufferPointer(rebasing: term.dropFirst(pattern.markLength))
            return TypoRows(TypoPattern(word, limit: limit, isPrefix: isPrefix))
        }
    }

    /// How many typos `term` has, 0 for a match of any other kind; `nil` if it does not match.
    package mutating func cost(of term: UnsafeRawBufferPointer) -> Int? {
        let mark = pattern.markLength
        let length = pattern.term.count
        // Stems and whole words are never taken for one another.
        guard (term.first == WordTokens.wholeMark ? 1 : 0) == mark else { return nil }
        if rows != nil {
            return rows?.cost(of: UnsafeRawBufferPointer(rebasing: term.dropFirst(mark)))
        }
        switch pattern.kind {
        case .exact: return term.count == length && equals(term, at: 0, from: 0) ? 0 : nil
        case .prefix: return term.count >= length && equals(term, at: 0, from: 0) ? 0 : nil
        case .suffix:
            let start = term.count - length + mark
            return start >= mark && equals(term, at: start, from: mark) ? 0 : nil
        default: return contains(term, from: mark) ? 0 : nil
        }
    }

    /// Whether the pattern's bytes from `mark` on stand at `offset`, where there are enough.
    private func equals(_ term: UnsafeRawBufferPointer, at offset: Int, from mark: Int) -> Bool {
        pattern.term.withUnsafeBytes { own in
            guard let one = term.baseAddress, let other = own.baseAddress else { return true }
            return memcmp(one + offset, other + mark, own.count - mark) == 0
        }
    }

    private func contains(_ term: UnsafeRawBufferPointer, from mark: Int) -> Bool {
        let last = term.count - (pattern.term.count - mark)
        guard last >= mark else { return false }
        return (mark...last).contains { equals(term, at: $0, from: mark) }
    }
}
