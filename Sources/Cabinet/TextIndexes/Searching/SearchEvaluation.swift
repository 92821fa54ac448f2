import CabinetBackend

/// Joins what the leaves of a search have found as the search says.
struct SearchEvaluation {
    private let search: CompiledSearch
    /// Of each leaf, what was found in each field; `nil` for a field that is not asked.
    private let hits: [[LeafHits?]]

    init(_ search: CompiledSearch, _ hits: [[LeafHits?]]) {
        self.search = search
        self.hits = hits
    }

    /// What one part of a search says of the rows: of those in neither list it says nothing, as what it
    /// asks for may be missing.
    private struct Answer {
        var yes: RowList
        var no: RowList

        /// Of a part that finds `rows`.
        init(_ rows: [UInt32], isOptional: Bool) {
            yes = .only(rows)
            no = isOptional ? .only([]) : .allBut(rows)
        }

        init(yes: RowList, no: RowList) { (self.yes, self.no) = (yes, no) }
    }

    /// The rows that meet the search. As ``SearchMatcher`` decides for one row.
    func rows(of root: CompiledSearch.Node) -> RowList { answer(root).yes }

    private func answer(_ node: CompiledSearch.Node) -> Answer {
        switch node {
        case .all(let parts):
            let wanted = parts.filter { !$0.isNot }.map(answer)
            let excluded = parts.filter(\.isNot).map(answer)
            let (yes, no) = (Self.union(wanted.map(\.yes)), Self.union(wanted.map(\.no)))
            let found = Self.union([no] + excluded.map(\.no)).inverted.and(yes)
            return Answer(yes: found, no: yes.or(no).and(found.inverted))
        case .any(let parts):
            let answers = parts.map(answer)
            let yes = Self.union(answers.map(\.yes))
            return Answer(yes: yes, no: Self.union(answers.map(\.no)).and(yes.inverted))
        case .not(let part):
            let answer = answer(part)
            return Answer(yes: answer.no, no: answer.yes)
        case .leaf(let leaf):
            let rows = hits[leaf].reduce(into: [UInt32]()) { rows, found in
                guard let found else { return }
                rows = rows.isEmpty ? found.rows : RowList.union(rows, found.rows)
            }
            return Answer(rows, isOptional: search.leaves[leaf].isOptional)
        case .near(let leaves, let distance, let scope):
            var rows: [UInt32] = []
            var isOptional = false
            for field in scope {
                let lists = leaves.compactMap { leaf in
                    hits[leaf][field].map { ($0, self.span(of: leaf, in: field)) }
                }
                if lists.isEmpty { isOptional = true }
                rows = RowList.union(rows, near(lists, distance))
            }
            return Answer(rows, isOptional: isOptional)
        }
    }

    private static func union(_ lists: [RowList]) -> RowList {
        lists.dropFirst().reduce(lists.first ?? .only([])) { $0.or($1) }
    }

    /// How many positions a leaf takes up.
    private func span(of leaf: Int, in field: Int) -> Int {
        (search.leaves[leaf].patterns[field].first?.last?.offset ?? 0) + 1
    }

    /// The rows in which all stand near to each other, each of which takes up so many positions.
    private func near(_ lists: [(hits: LeafHits, span: Int)], _ distance: Int) -> [UInt32] {
        guard let first = lists.first else { return [] }
        let common = lists.dropFirst().reduce(first.hits.rows) {
            RowList.intersection($0, $1.hits.rows)
        }
        var indices = Array(repeating: 0, count: lists.count)
        return common.filter { row in
            let places = lists.indices.map { number -> [Occurrence] in
                let (postings, span) = (lists[number].hits.postings, lists[number].span)
                while postings.rows[indices[number]] < row { indices[number] += 1 }
                return postings.positions(of: indices[number]).map {
                    Occurrence(positions: Int($0)..<Int($0) + span, range: 0..<0, typos: 0)
                }
            }
            return Proximity.isNear(places, distance: distance)
        }
    }
}

extension LeafHits {
    /// The same but for some rows.
    func without(_ rows: Set<RowID>) -> LeafHits {
        guard !rows.isEmpty else { return self }
        var result = LeafHits()
        for index in self.rows.indices where !rows.contains(RowID(self.rows[index])) {
            result.append(index, of: self)
        }
        return result
    }
}
