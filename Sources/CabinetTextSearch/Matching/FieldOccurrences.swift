import CabinetBackend

/// A place where a leaf was found.
package struct Occurrence: Hashable, Sendable {
    /// The positions of its terms.
    let positions: Range<Int>
    /// Its bytes in the text.
    let range: Range<Int>
    /// How many typos it has.
    package let typos: Int

    package init(positions: Range<Int>, range: Range<Int>, typos: Int) {
        (self.positions, self.range, self.typos) = (positions, range, typos)
    }
}

/// Where the leaves of a search stand in the text of one field.
struct FieldOccurrences {
    /// Terms, as numbers of tests, at their distances from the first.
    private struct Phrase {
        let terms: [(test: Int, offset: Int)]
        /// How many positions they take up.
        let span: Int
    }

    /// Those of whole terms come first, in the order of their bytes: a term is looked up among them.
    private var tests: [TermTest]
    private let exactCount: Int
    private var found: [[Occurrence]]
    private let leaves: [[Phrase]]
    private(set) var wordCount = 0
    /// For a field that is taken apart into parts of texts.
    private var grams: GramScan?

    init(_ search: CompiledSearch, field: Int) {
        let patterns = Set(search.leaves.flatMap { $0.patterns[field].joined() }.map(\.alone))
            .sorted(by: TermPattern.isTestedBefore)
        let numbers = Dictionary(uniqueKeysWithValues: zip(patterns, patterns.indices))
        leaves = search.leaves.map { leaf in
            leaf.patterns[field].map { patterns in
                Phrase(
                    terms: patterns.map { (numbers[$0.alone, default: 0], $0.offset) },
                    span: patterns.span)
            }
        }
        tests = patterns.map { TermTest($0) }
        exactCount = patterns.count { $0.kind == .exact }
        found = Array(repeating: [], count: patterns.count)
        if case .substring = search.fields[field].tokenizer.method {
            grams = GramScan(search.leaves.map { $0.patterns[field] })
        }
    }

    /// Looks through a text; what was found in another one is forgotten.
    mutating func scan(
        _ text: UnsafeBufferPointer<UInt8>, _ tokenizer: Tokenizer, _ workspace: TokenWorkspace
    ) {
        for index in found.indices { found[index].removeAll(keepingCapacity: true) }
        wordCount = 0
        guard !tests.isEmpty else { return }
        if grams != nil {
            grams?.scan(text)
            wordCount = grams?.wordCount ?? 0
            return
        }
        var terms = 0
        tokenizer.forEachToken(in: text, workspace) { token in
            guard terms < Tokenizer.termLimit else { return }
            terms += 1
            wordCount = token.position + 1
            if let index = exactTest(of: token.term) { note(token, of: index, typos: 0) }
            for index in exactCount..<tests.count {
                guard let typos = tests[index].cost(of: token.term) else { continue }
                note(token, of: index, typos: typos)
            }
        }
    }

    /// The number of the test that wants just this term.
    private func exactTest(of term: UnsafeRawBufferPointer) -> Int? {
        var (first, end) = (0, exactCount)
        while first < end {
            let middle = (first + end) / 2
            let order = tests[middle].pattern.term.withUnsafeBytes { KeyOrder.order($0, term) }
            if order == 0 { return middle }
            if order < 0 { first = middle + 1 } else { end = middle }
        }
        return nil
    }

    private mutating func note(_ token: Token, of index: Int, typos: Int) {
        guard found[index].count < Tokenizer.placeLimit else { return }
        let positions = token.position..<token.position + 1
        found[index].append(Occurrence(positions: positions, range: token.range, typos: typos))
    }

    /// Where a test found terms, each position once: of several terms there, the one with the fewest typos.
    private func places(of test: Int) -> [Occurrence] {
        var places: [Occurrence] = []
        for occurrence in found[test] {
            guard let last = places.last, last.positions == occurrence.positions else {
                places.append(occurrence)
                continue
            }
            if last.typos > occurrence.typos { places[places.count - 1] = occurrence }
        }
        return places
    }

    /// The places of a leaf, by position: of a single pattern one for each term, otherwise each position once.
    func occurrences(of leaf: Int) -> [Occurrence] {
        if let grams { return grams.occurrences(of: leaf) }
        if leaves[leaf].count == 1, leaves[leaf][0].terms.count == 1, leaves[leaf][0].span == 1 {
            return found[leaves[leaf][0].terms[0].test]
        }
        let lists = leaves[leaf].map(phrases)
        guard lists.count > 1 else { return lists.first ?? [] }
        var best: [Int: Occurrence] = [:]
        for occurrence in lists.joined() {
            let position = occurrence.positions.lowerBound
            if let other = best[position], other.typos <= occurrence.typos { continue }
            best[position] = occurrence
        }
        return best.values.sorted { $0.positions.lowerBound < $1.positions.lowerBound }
    }

    /// Where all terms stand at their offsets from the first.
    private func phrases(_ phrase: Phrase) -> [Occurrence] {
        guard let first = phrase.terms.first else { return [] }
        var places = places(of: first.test)
        for term in phrase.terms.dropFirst() {
            let others = self.places(of: term.test)
            var index = 0
            places = places.compactMap { place in
                let wanted = place.positions.lowerBound + term.offset
                while index < others.count, others[index].positions.lowerBound < wanted {
                    index += 1
                }
                guard index < others.count, others[index].positions.lowerBound == wanted else {
                    return nil
                }
                let end = max(place.range.upperBound, others[index].range.upperBound)
                return Occurrence(
                    positions: place.positions,
                    range: place.range.lowerBound..<end,
                    typos: place.typos + others[index].typos)
            }
        }
        guard phrase.span > 1 else { return places }
        return places.map { place in
            let start = place.positions.lowerBound
            return Occurrence(
                positions: start..<start + phrase.span, range: place.range, typos: place.typos)
        }
    }
}
