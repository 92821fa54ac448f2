import CabinetBackend
import CabinetTextSearch

/// Joins what the leaves of a search have found as the search says.
struct SearchEvaluation {
    let search: CompiledSearch
    /// Of each leaf, the rows of each field that it stands in, in ascending order; `nil` for a field that is
    /// not asked.
    let rows: [[[UInt32]?]]
    /// Where a leaf stands in one field of some rows.
    let hits: (_ leaf: Int, _ field: Int, _ rows: RowIndex) throws -> RowPositions

    /// What one part of a search says of the rows.
    private struct Answer {
        var yes: RowList
        /// The rows that the part excludes. `nil`: all others. Of those in neither list it says nothing, as
        /// what it asks for may be missing.
        var no: RowList?

        var isDefinite: Bool { no == nil }
        var excluded: RowList { no ?? yes.inverted }
    }

    /// The rows that meet the search. As ``SearchMatcher`` decides for one row.
    func rows(of root: CompiledSearch.Node) throws -> RowList { try answer(root).yes }

    private func answer(_ node: CompiledSearch.Node) throws -> Answer {
        switch node {
        case .all(let parts):
            return all(
                wanted: try parts.filter { !$0.isNot }.map(answer),
                excluded: try parts.filter(\.isNot).map(answer))
        case .any(let parts):
            let answers = try parts.map(answer)
            let yes = Self.union(answers.map(\.yes))
            guard !answers.contains(where: \.isDefinite) else { return Answer(yes: yes) }
            return Answer(yes: yes, no: Self.union(answers.map(\.excluded)).and(yes.inverted))
        case .not(let part):
            let answer = try answer(part)
            return Answer(yes: answer.excluded, no: answer.isDefinite ? nil : answer.yes)
        case .leaf(let leaf):
            let found = rows[leaf].compactMap { $0 }
            let joined = found.dropFirst().reduce(found.first ?? []) { RowList.union($0, $1) }
            let isOptional = search.leaves[leaf].isOptional
            return Answer(yes: .only(joined), no: isOptional ? .only([]) : nil)
        case .near(let leaves, let distance, let scope):
            var found: [UInt32] = []
            var isOptional = false
            for field in scope {
                let asked = leaves.filter { rows[$0][field] != nil }
                if asked.isEmpty { isOptional = true }
                found = RowList.union(found, try near(asked, in: field, distance))
            }
            return Answer(yes: .only(found), no: isOptional ? .only([]) : nil)
        }
    }

    /// What meets all of some answers. If one of the wanted ones is definite, nothing else has to be
    /// asked whether any is met.
    private func all(wanted: [Answer], excluded: [Answer]) -> Answer {
        let answers = wanted + excluded
        let definite = answers.filter(\.isDefinite).map(\.yes).sorted { $0.size < $1.size }
        var found = definite.first
        for rows in definite.dropFirst() { found = found?.and(rows) }
        for case let no? in answers.map(\.no) {
            found = found.map { $0.and(no.inverted) } ?? no.inverted
        }
        if wanted.contains(where: \.isDefinite) {
            return Answer(yes: found ?? .only([]))
        }
        let (yes, no) = (Self.union(wanted.map(\.yes)), Self.union(wanted.map(\.excluded)))
        let both = found.map { $0.and(yes) } ?? .only([])
        return Answer(yes: both, no: yes.or(no).and(both.inverted))
    }

    private static func union(_ lists: [RowList]) -> RowList {
        lists.dropFirst().reduce(lists.first ?? .only([])) { $0.or($1) }
    }

    /// How many positions a leaf takes up.
    private func span(of leaf: Int, in field: Int) -> Int {
        search.leaves[leaf].patterns[field].first?.span ?? 1
    }

    /// The rows in which all of some leaves stand near to each other in a field.
    private func near(_ leaves: [Int], in field: Int, _ distance: Int) throws -> [UInt32] {
        let lists = leaves.compactMap { rows[$0][field] }.sorted { $0.count < $1.count }
        guard let first = lists.first else { return [] }
        let common = RowIndex(lists.dropFirst().reduce(first) { RowList.intersection($0, $1) })
        let found = try leaves.map {
            (postings: try hits($0, field, common).postings, span: span(of: $0, in: field))
        }
        var indices = Array(repeating: 0, count: found.count)
        return common.rows.filter { row in
            let places = found.indices.map { number -> [Occurrence] in
                let (postings, span) = found[number]
                while indices[number] < postings.count, postings.rows[indices[number]] < row {
                    indices[number] += 1
                }
                guard indices[number] < postings.count, postings.rows[indices[number]] == row
                else { return [] }
                return postings.positions(of: indices[number]).map {
                    Occurrence(positions: Int($0)..<Int($0) + span, range: 0..<0, typos: 0)
                }
            }
            return Proximity.isNear(places, distance: distance)
        }
    }
}
