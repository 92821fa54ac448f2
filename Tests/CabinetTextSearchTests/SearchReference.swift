@testable import CabinetTextSearch

/// Whether a query finds texts, by the meaning of each form and nothing else: lists of terms, every place
/// tried.
struct SearchReference {
    private let fields: [(tokenizer: Tokenizer, name: String, tokens: [SampleToken])]

    init(_ fields: [SearchedField], _ texts: [String]) {
        self.fields = zip(fields, texts).map {
            ($0.tokenizer, $0.name, $0.tokenizer.tokens(of: $1))
        }
    }

    func finds(_ expression: SearchExpression) -> Bool { finds(expression, in: nil) ?? false }

    private func finds(_ expression: SearchExpression, in name: String?) -> Bool? {
        switch expression {
        case .all(let parts):
            var wanted: [Bool] = []
            var all = true
            for part in parts {
                guard let answer = finds(part, in: name) else { continue }
                if case .not = part {} else { wanted.append(answer) }
                all = all && answer
            }
            return wanted.isEmpty ? nil : all
        case .any(let parts):
            let answers = parts.map { finds($0, in: name) }.filter { $0 != nil }
            return answers.isEmpty ? nil : answers.contains(true)
        case .not(let part): return finds(part, in: name).map { !$0 }
        case .field(let other, _, let part): return finds(part, in: other)
        case .leaf(let leaf):
            let places = fields.filter { name == nil || $0.name == name }.map { starts(leaf, $0) }
            if places.contains(where: { $0?.isEmpty == false }) { return true }
            return places.contains { $0 == nil } ? nil : false
        case .near(let leaves, let distance):
            let answers = fields.filter { name == nil || $0.name == name }.map { field in
                near(leaves.compactMap { starts($0, field) }, distance)
            }
            return answers.contains(true) ? true : answers.contains { $0 == nil } ? nil : false
        }
    }

    private func near(_ lists: [[Range<Int>]], _ distance: Int) -> Bool? {
        guard let first = lists.first else { return nil }
        var choices = first.map { [$0] }
        for list in lists.dropFirst() {
            choices = choices.flatMap { choice in list.map { choice + [$0] } }
        }
        return choices.contains { choice in
            let sorted = choice.sorted { $0.lowerBound < $1.lowerBound }
            let lowest = sorted[0].lowerBound
            return choice.contains { one in
                one.lowerBound == lowest
                    && sorted[sorted.count - 1].lowerBound - one.upperBound <= distance
            }
        }
    }

    /// The words of a leaf; those at its ends that need not be whole are no stop words.
    private func terms(_ leaf: SearchLeaf, _ tokenizer: Tokenizer) -> [SampleToken] {
        let whole = tokenizer.tokens(of: leaf.text, for: .wholeWords)
        var terms = Set(tokenizer.tokens(of: leaf.text, for: .query))
        if let first = whole.first, leaf.kind == .suffix || leaf.kind == .substring {
            terms.insert(first)
        }
        if let last = whole.last, leaf.kind == .prefix || leaf.kind == .substring {
            terms.insert(last)
        }
        return terms.sorted { $0.position < $1.position }
    }

    /// Where a leaf stands in a field; `nil` if its text has no word.
    private func starts(
        _ leaf: SearchLeaf, _ field: (tokenizer: Tokenizer, name: String, tokens: [SampleToken])
    ) -> [Range<Int>]? {
        let terms = terms(leaf, field.tokenizer)
        guard let first = terms.first, let last = terms.last else { return nil }
        // Of a pair of letters, the position of the second one, too.
        let end = Tokenizer.words.tokens(of: leaf.text)
            .filter { $0.range.upperBound <= last.range.upperBound }.map(\.position).max()
        let length = max(end ?? 0, last.position) - first.position + 1
        return Set(field.tokens.map(\.position)).sorted().filter { start in
            terms.allSatisfy { term in
                let position = start + term.position - first.position
                return field.tokens.contains { token in
                    guard token.position == position else { return false }
                    switch leaf.kind {
                    case .prefix where term == last: return token.term.hasPrefix(term.term)
                    case .suffix where term == first: return token.term.hasSuffix(term.term)
                    case .substring where terms.count == 1: return token.term.contains(term.term)
                    case .substring where term == first: return token.term.hasSuffix(term.term)
                    case .substring where term == last: return token.term.hasPrefix(term.term)
                    default: return token.term == term.term
                    }
                }
            }
        }.map { $0..<$0 + length }
    }
}
