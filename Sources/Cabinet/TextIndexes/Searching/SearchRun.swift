import CabinetBackend
import CabinetTextSearch

/// One search in one class of a store, as of the store's basis and with its pending changes.
///
/// Texts that were changed since the segments of an index were written are asked themselves, and so is every
/// text while an index is not complete: by the same code that takes apart the texts for the index.
struct SearchRun {
    let store: Store
    let storedClass: StoredClass
    let texts: [ClassText]
    let search: CompiledSearch
    /// How much the hits of each field count.
    let weights: [Double]
    /// Whether hits have scores.
    let isScored: Bool
    /// Whether it is to be known how often each leaf stands in a text, or with how many typos.
    let isCounted: Bool
    /// Which of the rows count: `nil` for all.
    let condition: Condition?
    let filter: Filter?
    /// The places of the wanted leaves among all.
    private let wanted: [Int]
    private(set) var usesIndexes = false
    /// How many texts were asked themselves.
    private(set) var textsRead = 0
    /// What indexes named of the rows that count, if they were asked.
    var narrowing: Narrowing?

    init(
        _ store: Store, _ storedClass: StoredClass, _ texts: [ClassText], _ query: SearchQuery,
        weights: [Double], isScored: Bool, condition: Condition?
    ) {
        self.store = store
        self.storedClass = storedClass
        self.texts = texts
        self.weights = weights
        self.condition = condition
        filter = condition?.filter
        search = CompiledSearch(
            query, texts.map { SearchedField(name: $0.name, tokenizer: $0.index.tokenizer) })
        wanted = search.leaves.indices.filter { [search] in search.leaves[$0].isWanted }
        self.isScored = isScored
        isCounted = isScored || search.mayHaveTypos
    }

    /// What the search finds, in no order.
    /// - Parameter best: so many of the first by relevance are enough; `nil` for all.
    mutating func find(best: Int? = nil) throws -> FoundRows {
        guard let root = search.root else { return FoundRows() }
        guard texts.allSatisfy(\.isComplete), let snapshots = try snapshots() else {
            return FoundRows(try findByScan())
        }
        return try findByIndexes(root, snapshots, best) ?? FoundRows(findByScan())
    }

    private func snapshots() throws -> [TextSnapshot]? {
        let reader = try store.readerForWalk()
        var snapshots: [TextSnapshot] = []
        for text in texts {
            guard let snapshot = try text.snapshot(reader) else { return nil }
            snapshots.append(snapshot)
        }
        return snapshots
    }

    // MARK: By a scan

    /// Looks at the text of every object.
    private mutating func findByScan() throws -> [ScoredRow] {
        var examined = Examination(self)
        var counts = ScanCounts()
        try store.scan(storedClass, ConstantFilter(true), &counts) { cursor in
            try examined.look(at: cursor)
            return true
        }
        textsRead += counts.examined
        return examined.scored(examined.statistics)
    }

    // MARK: By the indexes

    /// `nil` if the search excludes only, so that every row is to be looked at.
    private mutating func findByIndexes(
        _ root: CompiledSearch.Node, _ snapshots: [TextSnapshot], _ best: Int?
    ) throws -> FoundRows? {
        usesIndexes = true
        var readers = snapshots.map { PostingsReader($0) }
        let (changed, left) = try rowsToAsk(snapshots)
        let asked = changed.map(\.rawValue).sorted()
        var examined = Examination(self)
        try examined.look(at: asked, left, snapshots)
        textsRead += asked.count
        // What the indexes say of rows that are asked, or are gone, does not count.
        let passed = RowList.union(asked, left.map(\.rawValue).sorted())
        var rowsOfLeaves: [[[UInt32]?]] = []
        for leaf in search.leaves {
            var fields: [[UInt32]?] = []
            for (index, patterns) in leaf.patterns.enumerated() {
                fields.append(
                    patterns.isEmpty
                        ? nil : RowList.difference(try readers[index].rows(patterns), passed))
            }
            rowsOfLeaves.append(fields)
        }
        let evaluation = SearchEvaluation(search: search, rows: rowsOfLeaves) {
            [search] leaf, field, rows in
            try readers[field].hits(search.leaves[leaf].patterns[field], at: rows)
        }
        guard case .only(let rows) = try evaluation.rows(of: root) else { return nil }
        var statistics = examined.statistics
        for index in texts.indices {
            for (place, leaf) in wanted.enumerated() {
                statistics[index].rowsWithLeaf[place] += rowsOfLeaves[leaf][index]?.count ?? 0
            }
        }
        var found = FoundRows(examined.scored(statistics), best: best)
        let matching = try filtered(rows)
        guard isCounted else {
            found.insert(matching)
            return found
        }
        var scorer = try scorer(root, matching, &readers, rowsOfLeaves, statistics)
        scorer.score(matching, into: &found)
        return found
    }

    /// The rows whose texts are asked, and those that are left out: of objects whose delete is pending.
    private func rowsToAsk(_ snapshots: [TextSnapshot]) throws -> (Set<RowID>, Set<RowID>) {
        var (asked, left) = (Set<RowID>(), Set<RowID>())
        for snapshot in snapshots { asked.formUnion(snapshot.unmerged.keys) }
        for object in store.changes.objects
        where object.storedClass === storedClass && object.state.isPending {
            if object.state.contains(.deleted) {
                left.insert(object.rowID)
            } else {
                asked.insert(object.rowID)
            }
        }
        return (asked.subtracting(left), left)
    }

    /// What gives some rows their scores.
    private func scorer(
        _ root: CompiledSearch.Node, _ rows: [UInt32], _ readers: inout [PostingsReader],
        _ rowsOfLeaves: [[[UInt32]?]], _ statistics: [SearchStatistics]
    ) throws -> RelevanceScorer {
        var scorer = RelevanceScorer(areAllThere: wantsAll(root))
        guard !rows.isEmpty else { return scorer }
        for (place, leaf) in wanted.enumerated() {
            var fields: [PostingCursor] = []
            for field in texts.indices where rowsOfLeaves[leaf][field]?.isEmpty == false {
                let counts = try readers[field].counts(
                    search.leaves[leaf].patterns[field], at: rows)
                let weight = statistics[field].weight(ofLeaf: place) * weights[field]
                fields.append(
                    PostingCursor(counts, statistics[field], weight: isScored ? weight : 0))
            }
            scorer.add(fields)
        }
        return scorer
    }

    /// Whether every row that is found has all leaves.
    private func wantsAll(_ root: CompiledSearch.Node) -> Bool {
        switch root {
        case .leaf(let leaf): search.leaves[leaf].isWanted && !search.leaves[leaf].isOptional
        case .all(let parts):
            parts.allSatisfy { if case .leaf = $0 { wantsAll($0) } else { false } }
        default: false
        }
    }
}
