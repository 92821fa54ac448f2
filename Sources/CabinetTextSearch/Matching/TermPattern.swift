/// What one term has to be like.
package struct TermPattern: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case exact, prefix, suffix, infix
        case fuzzy(limit: Int, isPrefix: Bool)
    }

    package let kind: Kind
    /// Folded, and with ``WordTokens/wholeMark`` if it stands for a whole word.
    package let term: [UInt8]
    /// How many positions it stands behind the first term.
    package let offset: Int
    /// How many positions it takes up, for any term that it finds.
    package var span = 1

    package init(kind: Kind, term: [UInt8], offset: Int, span: Int = 1) {
        (self.kind, self.term, self.offset, self.span) = (kind, term, offset, span)
    }

    /// How many bytes at the beginning of the term are a mark and no letters.
    package var markLength: Int { term.first == WordTokens.wholeMark ? 1 : 0 }

    /// The same for a term by itself, wherever it stands.
    var alone: TermPattern { TermPattern(kind: kind, term: term, offset: 0) }

    /// Whole terms come first, in the order of their bytes.
    static func isTestedBefore(_ one: TermPattern, _ other: TermPattern) -> Bool {
        let isExact = one.kind == .exact
        if isExact != (other.kind == .exact) { return isExact }
        return one.term.lexicographicallyPrecedes(other.term)
    }
}

extension [TermPattern] {
    /// How many positions the terms take up, from the first's beginning to the last's end.
    package var span: Int { last.map { $0.offset + $0.span } ?? 0 }
}

/// What a field has to contain for a leaf.
struct LeafPatterns {
    /// One of these lists of terms, each at its place. Empty if the text has no term.
    var alternatives: [[TermPattern]]
    /// Whether a field without them does not contradict the leaf.
    var mayBeMissing: Bool

    init(_ alternatives: [[TermPattern]], mayBeMissing: Bool = false) {
        self.alternatives = alternatives
        self.mayBeMissing = mayBeMissing || alternatives.isEmpty
    }

    /// Those of a field that is not asked.
    static let none = LeafPatterns([])
}

extension SearchLeaf {
    /// What a field with this tokenizer has to contain.
    package func patterns(_ tokenizer: Tokenizer, _ workspace: TokenWorkspace) -> LeafPatterns {
        let exact = terms(tokenizer, .query, workspace)
        if case .fuzzy(_, let isPrefix) = kind, exact.isEmpty, !tokenizer.makesParts {
            // A stop word is passed over, as in any query. While it is typed it may become another word.
            guard isPrefix else { return .none }
            return LeafPatterns(alternatives(exact, tokenizer, workspace), mayBeMissing: true)
        }
        return LeafPatterns(
            alternatives(exact, tokenizer, workspace),
            mayBeMissing: mayBecomeElided(exact, tokenizer))
    }

    /// Whether it may lean on a word that is not typed yet, as `l` or `qu'` may: texts leave that out.
    private func mayBecomeElided(_ exact: [Term], _ tokenizer: Tokenizer) -> Bool {
        guard case .fuzzy(_, isPrefix: true) = kind, exact.count == 1,
            case .words(let options) = tokenizer.method, let stemmer = options.stemmer
        else { return false }
        return stemmer.mayElide(exact[0].term)
    }

    private func alternatives(
        _ exact: [Term], _ tokenizer: Tokenizer, _ workspace: TokenWorkspace
    ) -> [[TermPattern]] {
        if tokenizer.makesParts {
            let kind: TermPattern.Kind =
                exact.count == 1 && isShort(exact[0].term) ? .prefix : .exact
            return Self.pattern(exact, first: kind, last: kind)
        }
        let whole = terms(tokenizer, .wholeWords, workspace)
        switch kind {
        case .term: return Self.pattern(exact, first: .exact, last: .exact)
        case .prefix: return Self.mixed(exact, whole, tokenizer, first: .exact, last: .prefix)
        case .suffix: return Self.mixed(exact, whole, tokenizer, first: .suffix, last: .exact)
        case .substring: return Self.mixed(exact, whole, tokenizer, first: .suffix, last: .prefix)
        case .fuzzy(let tolerance, let isPrefix):
            guard whole.count == 1 else {
                return Self.mixed(
                    exact, whole, tokenizer, first: .exact, last: isPrefix ? .prefix : .exact)
            }
            if Self.isWhole(whole[0], exact, tokenizer) {
                return Self.pattern(exact, first: .exact, last: .exact)
            }
            let alternative = exact.first?.term == whole[0].term ? [] : exact
            return Self.pattern(alternative, first: .exact, last: .exact)
                + [[Self.fuzzy(whole[0].term, tolerance, isPrefix)]]
        }
    }

    private typealias Term = (term: [UInt8], position: Int, span: Int)

    private func terms(
        _ tokenizer: Tokenizer, _ purpose: TokenPurpose, _ workspace: TokenWorkspace
    ) -> [Term] {
        var terms: [Term] = []
        tokenizer.forEachToken(in: text, for: purpose, workspace) { token in
            terms.append((Array(token.term), token.position, token.span))
        }
        return terms
    }

    /// Whether a term of ``Tokenizer/substring`` is the beginning of longer ones.
    private func isShort(_ term: [UInt8]) -> Bool {
        term.filter { $0 & 0xC0 != 0x80 }.count < GramTokens.length
    }

    private static func pattern(
        _ terms: [Term], first: TermPattern.Kind, last: TermPattern.Kind
    ) -> [[TermPattern]] {
        guard let start = terms.first?.position else { return [] }
        let patterns = terms.indices.map { index in
            TermPattern(
                kind: index == 0 ? first : index == terms.count - 1 ? last : .exact,
                term: terms[index].term, offset: terms[index].position - start,
                span: terms[index].span)
        }
        return [patterns]
    }

    /// Whole words at the ends that are no exact terms, stems elsewhere.
    private static func mixed(
        _ exact: [Term], _ whole: [Term], _ tokenizer: Tokenizer, first: TermPattern.Kind,
        last: TermPattern.Kind
    ) -> [[TermPattern]] {
        guard let firstWhole = whole.first, let lastWhole = whole.last else { return [] }
        let first = isWhole(firstWhole, exact, tokenizer) ? .exact : first
        let last = isWhole(lastWhole, exact, tokenizer) ? .exact : last
        if whole.count == 1 {
            let kind: TermPattern.Kind =
                first == .exact ? last : last == .exact ? first : .infix
            return pattern(kind == .exact ? exact : whole, first: kind, last: kind)
        }
        var terms = exact
        if first != .exact {
            terms.removeAll { $0.position == firstWhole.position }
            terms.insert(firstWhole, at: 0)
        }
        if last != .exact {
            terms.removeAll { $0.position == lastWhole.position }
            terms.append(lastWhole)
        }
        // A stop word at an end has left the list; if all are stop words, none is left.
        guard let patterns = pattern(terms, first: .exact, last: .exact).first else { return [] }
        let ends = patterns.enumerated().map { index, pattern in
            let position = terms[index].position
            let kind: TermPattern.Kind =
                position == firstWhole.position
                ? first : position == lastWhole.position ? last : .exact
            return TermPattern(
                kind: kind, term: pattern.term, offset: pattern.offset, span: pattern.span)
        }
        return [ends]
    }

    /// Whether a word at an end is found as it is, though more may follow or precede it: of a script without
    /// spaces each letter is a term, and each two, unless it is a stop word.
    private static func isWhole(_ word: Term, _ exact: [Term], _ tokenizer: Tokenizer) -> Bool {
        guard case .words = tokenizer.method,
            exact.contains(where: { $0.position == word.position })
        else { return false }
        return word.term.withUnsafeBufferPointer { term in
            let start = term.first == WordTokens.wholeMark ? 1 : 0
            return start < term.count
                && WordClass.of(UTF8Decoding.scalar(in: term, at: start).value) == .unit
        }
    }

    private static func fuzzy(
        _ term: [UInt8], _ tolerance: SearchTolerance, _ isPrefix: Bool
    ) -> TermPattern {
        let mark = term.first == WordTokens.wholeMark ? 1 : 0
        let letters = term.filter { $0 & 0xC0 != 0x80 }.count - mark
        let limit = tolerance.limit(letters: letters)
        let kind: TermPattern.Kind =
            limit > 0 ? .fuzzy(limit: limit, isPrefix: isPrefix) : isPrefix ? .prefix : .exact
        return TermPattern(kind: kind, term: term, offset: 0)
    }
}
