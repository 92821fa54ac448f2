import CabinetBackend
import CabinetTextSearch

extension SearchRun {
    /// The patterns of a search that asks one field for all of its leaves, each of which is one list of terms;
    /// `nil` for any other search.
    func patternsOfAll(_ root: CompiledSearch.Node) -> [[TermPattern]]? {
        guard texts.count == 1 else { return nil }
        var leaves: [Int] = []
        switch root {
        case .leaf(let leaf): leaves = [leaf]
        case .all(let parts):
            for part in parts {
                guard case .leaf(let leaf) = part else { return nil }
                leaves.append(leaf)
            }
        default: return nil
        }
        guard leaves == Array(search.leaves.indices) else { return nil }
        var patterns: [[TermPattern]] = []
        for leaf in search.leaves {
            guard leaf.isWanted, !leaf.isOptional, leaf.patterns[0].count == 1,
                !leaf.patterns[0][0].isEmpty
            else { return nil }
            patterns.append(leaf.patterns[0][0])
        }
        return patterns
    }

    /// The rows in which all of some patterns stand; `nil` if one of them cannot be counted.
    /// - Parameters:
    ///   - examined: what was found in texts that were asked.
    ///   - passed: the rows of which the index does not count, in ascending order.
    ///   - best: so many of the first by relevance are enough; `nil` for all.
    mutating func findAll(
        _ patterns: [[TermPattern]], _ reader: inout LeafReader, _ examined: Examination,
        passed: [UInt32], _ best: Int?
    ) throws -> FoundRows? {
        guard var leaves = try leaves(patterns, &reader) else { return nil }
        var statistics = examined.statistics
        let counts = leaves.map { $0.count - $0.intersection(passed).count }
        for (place, count) in counts.enumerated() { statistics[0].rowsWithLeaf[place] += count }
        let weights = leaves.indices.map { statistics[0].weight(ofLeaf: $0) * self.weights[0] }
        var found = FoundRows(try examined.scored(statistics), best: best)
        if let best, leaves.count == 1, condition == nil {
            var top = found
            if leaves[0].insertBest(
                into: &top, best, statistics[0], weight: weights[0], passed: passed)
            {
                top.count(counts[0])
                return top
            }
        }
        if best != nil, condition == nil,
            FoundLeaf.insertBest(
                of: leaves, into: &found, statistics[0], weights: weights, passed: passed)
        {
            return found
        }
        var rows: [UInt32]?
        for leaf in leaves.sorted(by: { $0.count < $1.count }) {
            rows = rows.map(leaf.intersection) ?? leaf.rows
        }
        let left = try filtered(RowList.difference(rows ?? [], passed))
        guard isCounted else {
            found.insert(left)
            return found
        }
        var scores = [Double](repeating: 0, count: left.count)
        var typos = [UInt8](repeating: 0, count: left.count)
        for (place, terms) in patterns.enumerated() {
            if leaves[place].isBetterCounted(for: left.count),
                let leaf = try reader.counted(terms[0])
            {
                leaves[place] = .counted(leaf)
            }
            try leaves[place].add(
                statistics[0], weight: weights[place], at: left, reader, &scores, &typos)
        }
        found.insert(left, scores: isScored ? scores : nil, typos: typos)
        return found
    }

    /// What each pattern has found; `nil` if one of them cannot be counted.
    private func leaves(
        _ patterns: [[TermPattern]], _ reader: inout LeafReader
    ) throws -> [FoundLeaf]? {
        var leaves: [FoundLeaf] = []
        for terms in patterns {
            guard let leaf = try leaf(terms, ofMany: patterns.count > 1, &reader) else {
                return nil
            }
            leaves.append(leaf)
        }
        return leaves
    }

    private func leaf(
        _ terms: [TermPattern], ofMany: Bool, _ reader: inout LeafReader
    ) throws -> FoundLeaf? {
        if terms.count > 1 { return .phrase(try reader.phrase(terms)) }
        let pattern = terms[0]
        if !isCounted { return try reader.named(pattern) }
        if ofMany, let postings = try reader.uncounted(pattern) { return .postings(postings) }
        return try reader.counted(pattern).map { .counted($0) }
    }
}
