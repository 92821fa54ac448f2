/// What a search found in one object. `Sendable`: a value.
package struct SearchMatch: Sendable, Hashable {
    /// All typos that were forgiven, of each leaf the least.
    package var typos = 0
    /// Of each field, how many positions its text has.
    package var wordCounts: [Int]
    /// Of each wanted leaf, how often it stands in each field.
    package var frequencies: [[Int]] = []
    /// Of each field, the bytes that wanted leaves stand for, by where they begin, without overlaps; empty if
    /// they are not asked for.
    package var ranges: [[Range<Int>]]
}

/// Decides by looking through the texts of an object whether a search finds it: the reference for what an
/// index answers, and the way to answer while there is none.
///
/// Not `Sendable`: it has memory that it uses again for the next object.
package struct SearchMatcher {
    let search: CompiledSearch
    private let mayHaveTypos: Bool
    private var fields: [FieldOccurrences]
    private let workspace = TokenWorkspace()

    package init(_ search: CompiledSearch) {
        self.search = search
        mayHaveTypos = search.mayHaveTypos
        fields = search.fields.indices.map { FieldOccurrences(search, field: $0) }
    }

    /// What is found in `texts`, one for each field, with its ranges; `nil` if the search does not match them.
    mutating func match(_ texts: [String]) -> SearchMatch? {
        guard let (isMatch, found) = look(through: texts, forRanges: true), isMatch else {
            return nil
        }
        return found
    }

    /// How often the leaves stand in `texts`, one for each field, and whether the search matches them; `nil`
    /// for a search that finds nothing.
    /// - Parameter forRanges: whether ranges are asked for: those of a long text take memory.
    package mutating func look(
        through texts: [String], forRanges: Bool = false
    ) -> (isMatch: Bool, found: SearchMatch)? {
        precondition(texts.count == fields.count, "A search needs the text of each of its fields.")
        guard let root = search.root else { return nil }
        for index in texts.indices {
            var text = texts[index]
            text.withUTF8 { fields[index].scan($0, search.fields[index].tokenizer, workspace) }
        }
        let places = search.leaves.indices.map { leaf in
            fields.map { $0.occurrences(of: leaf) }
        }
        return (matches(root, places) == true, summary(places, forRanges))
    }

    /// Whether `node` matches; `nil` if it is not there but may be missing: then it is passed over.
    private func matches(_ node: CompiledSearch.Node, _ places: [[[Occurrence]]]) -> Bool? {
        switch node {
        case .all(let parts):
            // If nothing that must be there has a term, what is excluded alone finds nothing.
            let wanted = parts.filter { !$0.isNot }.compactMap { matches($0, places) }
            guard !wanted.isEmpty else { return nil }
            let excluded = parts.filter(\.isNot).compactMap { matches($0, places) }
            return wanted.allSatisfy { $0 } && excluded.allSatisfy { $0 }
        case .any(let parts):
            let answers = parts.compactMap { matches($0, places) }
            return answers.isEmpty ? nil : answers.contains(true)
        case .not(let part): return matches(part, places).map { !$0 }
        case .leaf(let leaf):
            if places[leaf].contains(where: { !$0.isEmpty }) { return true }
            return search.leaves[leaf].isOptional ? nil : false
        case .near(let leaves, let distance, let scope):
            var isOptional = false
            for field in scope {
                let wanted = leaves.filter { !search.leaves[$0].patterns[field].isEmpty }
                if wanted.isEmpty {
                    isOptional = true
                } else if Proximity.isNear(wanted.map { places[$0][field] }, distance: distance) {
                    return true
                }
            }
            return isOptional ? nil : false
        }
    }

    private func summary(_ places: [[[Occurrence]]], _ forRanges: Bool) -> SearchMatch {
        var match = SearchMatch(
            wordCounts: fields.map(\.wordCount), ranges: fields.map { _ in [] })
        var known: Set<[[[TermPattern]]]> = []
        for (leaf, found) in zip(search.leaves, places) where leaf.isWanted {
            match.frequencies.append(found.map(\.count))
            if mayHaveTypos { match.typos += found.joined().lazy.map(\.typos).min() ?? 0 }
            // A word that is asked for twice stands where it stands.
            guard forRanges, known.insert(leaf.patterns).inserted else { continue }
            for (index, field) in found.enumerated() where !field.isEmpty {
                match.ranges[index] += field.lazy.map(\.range)
            }
        }
        for index in match.ranges.indices {
            match.ranges[index] = Self.joined(match.ranges[index])
        }
        return match
    }

    /// Sorted, and as one where they overlap.
    package static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                let end = max(last.upperBound, range.upperBound)
                joined[joined.count - 1] = last.lowerBound..<end
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

/// Whether places are near to each other.
package enum Proximity {
    /// Whether one of each of `lists`, which are sorted by position, stand so that at most `distance` words
    /// are between the end of the first and the beginning of the last.
    package static func isNear(_ lists: [[Occurrence]], distance: Int) -> Bool {
        guard lists.allSatisfy({ !$0.isEmpty }) else { return false }
        let starts = lists.joined().sorted { $0.positions.lowerBound < $1.positions.lowerBound }
        var indices = Array(repeating: 0, count: lists.count)
        for first in starts {
            let lowest = first.positions.lowerBound
            var last = lowest
            for (number, list) in lists.enumerated() {
                while indices[number] < list.count,
                    list[indices[number]].positions.lowerBound < lowest
                {
                    indices[number] += 1
                }
                guard indices[number] < list.count else { return false }
                last = max(last, list[indices[number]].positions.lowerBound)
            }
            if last - first.positions.upperBound <= distance { return true }
        }
        return false
    }
}
