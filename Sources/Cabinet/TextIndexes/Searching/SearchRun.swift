import CabinetBackend

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
    /// Which of the rows count: `nil` for all.
    let filter: Filter?
    /// The places of the wanted leaves among all.
    private let wanted: [Int]
    private(set) var usesIndexes = false
    /// How many texts were asked themselves.
    private(set) var textsRead = 0

    init(
        _ store: Store, _ storedClass: StoredClass, _ texts: [ClassText], _ query: SearchQuery,
        weights: [Double], filter: Filter?
    ) {
        self.store = store
        self.storedClass = storedClass
        self.texts = texts
        self.weights = weights
        self.filter = filter
        search = CompiledSearch(
            query, texts.map { SearchedField(name: $0.name, tokenizer: $0.index.tokenizer) })
        wanted = search.leaves.indices.filter { [search] in search.leaves[$0].isWanted }
    }

    /// What the search finds, in no order.
    mutating func find() throws -> [ScoredRow] {
        guard let root = search.root else { return [] }
        guard texts.allSatisfy(\.isComplete), let snapshots = try snapshots() else {
            return try findByScan()
        }
        return try findByIndexes(root, snapshots) ?? findByScan()
    }

    private func snapshots() throws -> [TextSnapshot]? {
        let reader = try store.readerForWalk()
        var snapshots: [TextSnapshot] = []
        for text in texts {
            guard let table = text.table else { return nil }
            snapshots.append(
                try TextSnapshot(
                    table, hasPositions: text.index.tokenizer.hasPositions, reader))
        }
        return snapshots
    }

    // MARK: By a scan

    /// Looks at the text of every object.
    private mutating func findByScan() throws -> [ScoredRow] {
        var examined = Examination(self)
        var counts = ScanCounts()
        try store.scan(storedClass, ConstantFilter(true), &counts) { candidate in
            try examined.look(at: candidate)
            return true
        }
        textsRead += counts.examined
        return try examined.scored(examined.statistics)
    }

    // MARK: By the indexes

    /// `nil` if the search excludes only, so that every row is to be looked at.
    private mutating func findByIndexes(
        _ root: CompiledSearch.Node, _ snapshots: [TextSnapshot]
    ) throws -> [ScoredRow]? {
        usesIndexes = true
        var readers = snapshots.map { LeafReader($0) }
        var (asked, left) = try rowsToAsk(snapshots)
        if snapshots.contains(where: { !$0.hasPositions }) {
            for row in try candidates(&readers) where !left.contains(row) { asked.insert(row) }
        }
        var examined = Examination(self)
        try examined.look(at: asked, left, snapshots)
        textsRead += asked.count
        let needsNoLists = snapshots.contains { !$0.hasPositions }
        if needsNoLists { return try examined.scored(examined.statistics) }
        // What the indexes say of rows that are asked, or are gone, does not count.
        let passed = asked.union(left)
        var hits: [[LeafHits?]] = []
        for leaf in search.leaves {
            var fields: [LeafHits?] = []
            for index in texts.indices {
                guard !leaf.patterns[index].isEmpty else {
                    fields.append(nil)
                    continue
                }
                fields.append(try readers[index].hits(leaf.patterns[index]).without(passed))
            }
            hits.append(fields)
        }
        guard case .only(let rows) = SearchEvaluation(search, hits).rows(of: root) else {
            return nil
        }
        var statistics = examined.statistics
        for index in texts.indices {
            for (place, leaf) in wanted.enumerated() {
                statistics[index].rowsWithLeaf[place] += hits[leaf][index]?.rows.count ?? 0
            }
        }
        return try examined.scored(statistics)
            + filtered(score(rows, hits, statistics))
    }

    /// The rows whose texts are asked, and those that are left out: of objects whose delete is pending.
    private func rowsToAsk(_ snapshots: [TextSnapshot]) throws -> (Set<RowID>, Set<RowID>) {
        var (asked, left) = (Set<RowID>(), Set<RowID>())
        for snapshot in snapshots { asked.formUnion(snapshot.fresh.keys) }
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

    /// The rows that some wanted leaf may stand in, of indexes that do not say where.
    private func candidates(_ readers: inout [LeafReader]) throws -> Set<RowID> {
        var rows = Set<RowID>()
        for leaf in search.leaves {
            for index in texts.indices where !leaf.patterns[index].isEmpty {
                for row in try readers[index].candidates(leaf.patterns[index]) {
                    rows.insert(RowID(row))
                }
            }
        }
        return rows
    }

    private func score(
        _ rows: [UInt32], _ hits: [[LeafHits?]], _ statistics: [SearchStatistics]
    ) -> [ScoredRow] {
        var scores = [Double](repeating: 0, count: rows.count)
        var typos = [Int](repeating: 0, count: rows.count)
        for (place, leaf) in wanted.enumerated() {
            var least = [Int](repeating: .max, count: rows.count)
            for index in texts.indices {
                guard let found = hits[leaf][index], !found.isEmpty else { continue }
                let weight = statistics[index].weight(ofLeaf: place) * weights[index]
                var posting = 0
                let postings = found.postings
                for (number, row) in rows.enumerated() {
                    while posting < postings.count, postings.rows[posting] < row { posting += 1 }
                    guard posting < postings.count else { break }
                    guard postings.rows[posting] == row else { continue }
                    scores[number] += statistics[index].score(
                        weight: weight, frequency: postings.frequency(of: posting),
                        length: Int(postings.lengths[posting]))
                    least[number] = min(least[number], found.typos(of: posting))
                }
            }
            for number in rows.indices where least[number] != .max {
                typos[number] += least[number]
            }
        }
        return rows.indices.map {
            ScoredRow(row: RowID(rows[$0]), score: scores[$0], typos: typos[$0])
        }
    }

    /// The rows that the filter accepts.
    private func filtered(_ rows: [ScoredRow]) throws -> [ScoredRow] {
        guard let filter else { return rows }
        let candidate = Candidate(store, store.fields(of: storedClass))
        let record = DataBuffer()
        return try rows.filter { found in
            guard try store.readRecord(found.row, of: storedClass, into: record) else {
                return false
            }
            return try record.withUnsafeBytes { bytes in
                try candidate.take(bytes, at: found.row) && filter.accepts(candidate)
            }
        }
    }
}
