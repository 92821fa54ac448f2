import CabinetBackend

extension SearchRun {
    /// The patterns of a search that asks one field for all of its leaves, each of which is one pattern;
    /// `nil` for any other search.
    func patternsOfAll(_ root: CompiledSearch.Node) -> [TermPattern]? {
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
        var patterns: [TermPattern] = []
        for leaf in search.leaves {
            guard leaf.isWanted, leaf.patterns[0].count == 1, leaf.patterns[0][0].count == 1 else {
                return nil
            }
            patterns.append(leaf.patterns[0][0][0])
        }
        return patterns
    }

    /// The rows in which all of some patterns stand; `nil` if one of them cannot be counted.
    /// - Parameters:
    ///   - examined: what was found in texts that were asked.
    ///   - passed: the rows of which the index does not count, in ascending order.
    ///   - best: so many of the first by relevance are enough; `nil` for all.
    mutating func findAll(
        _ patterns: [TermPattern], _ reader: LeafReader, _ examined: Examination,
        passed: [UInt32], _ best: Int?
    ) throws -> FoundRows? {
        var leaves: [LeafRows] = []
        for pattern in patterns {
            guard let leaf = try reader.counted(pattern) else { return nil }
            leaves.append(leaf)
        }
        var statistics = examined.statistics
        let counts = leaves.map { leaf in leaf.count - passed.count(where: leaf.contains) }
        for (place, count) in counts.enumerated() { statistics[0].rowsWithLeaf[place] += count }
        let scorers = leaves.enumerated().map { place, leaf in
            LeafRows.Scorer(
                leaf, statistics[0], weight: statistics[0].weight(ofLeaf: place) * weights[0])
        }
        var found = FoundRows(try examined.scored(statistics), best: best)
        if let best, scorers.count == 1, condition == nil {
            var top = found
            if scorers[0].insertBest(into: &top, best, passed: passed) {
                top.count(counts[0])
                return top
            }
        }
        var rows: [UInt32]?
        for leaf in leaves.sorted(by: { $0.count < $1.count }) {
            rows = rows.map(leaf.intersection) ?? leaf.rows
        }
        let left = try filtered(RowList.difference(rows ?? [], passed))
        var scores = [Double](repeating: 0, count: left.count)
        var typos = [UInt8](repeating: 0, count: left.count)
        for scorer in scorers { scorer.add(left, &scores, &typos) }
        found.insert(left, scores: scores, typos: typos)
        return found
    }
}
