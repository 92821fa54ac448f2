import CabinetBackend

/// A search in the records of a class, by what the catalog says of it: no class is needed.
///
/// It finds what ``Store/search(_:_:where:orderedBy:weights:limit:offset:)-(_,String,_,_,_,_,_)`` finds, with
/// the same scores, if all text indexes of the class are built in and complete. Not `Sendable`: it reads
/// for one caller.
package final class RecordSearch {
    private let query: SearchQuery
    private let storedClass: StoreSchema.Class
    private let backend: any BackendReader
    private let decoder: RecordDecoder
    private let texts: [CatalogText]
    private var unused: [RecordAnswer.UnusedIndex] = []
    private let search: CompiledSearch

    /// - Parameters:
    ///   - query: what is looked for.
    ///   - storedClass: the class.
    ///   - field: the name of a text index or of its field; `nil` for all text indexes of the class.
    ///   - backend: where the records are.
    ///   - decoder: reads records of the class's schema.
    /// - Throws: ``StoreError/notSearchable(class:text:)`` if the class has no such text index whose texts
    ///   can be read without it; ``QuerySyntaxError`` for a query that names another field; a
    ///   ``BackendError``.
    package init(
        _ query: SearchQuery, of storedClass: StoreSchema.Class, in field: String?,
        _ backend: any BackendReader, by decoder: RecordDecoder
    ) throws {
        self.query = query
        self.storedClass = storedClass
        self.backend = backend
        self.decoder = decoder
        var texts: [CatalogText] = []
        for (name, text) in try StoreSchema.texts(of: storedClass, in: backend) {
            switch text {
            case .success(let text):
                guard field == nil || text.name == field || text.field == field else { continue }
                texts.append(text)
                if let problem = text.problem {
                    unused.append(.init(name: name, reason: problem))
                }
            case .failure(let error): unused.append(.init(name: name, reason: error.reason))
            }
        }
        guard !texts.isEmpty else {
            throw StoreError.notSearchable(class: storedClass.name, text: field ?? "")
        }
        try query.checkFields(known: texts.map(\.name))
        self.texts = texts
        search = CompiledSearch(
            query, texts.map { SearchedField(name: $0.name, tokenizer: $0.tokenizer) })
    }

    /// What the search finds.
    ///
    /// - Parameters:
    ///   - limit: how many hits at most; `nil` for all.
    ///   - unreadable: called with the row of each record that was met and cannot be read, and why.
    /// - Throws: a ``BackendError``; `DataBufferError` for entries of an index that are none.
    package func answer(
        limit: Int? = nil, unreadable: (RowID, StoreError) -> Void
    ) throws -> RecordSearchAnswer {
        var scan = TextScan(search, texts.map(\.field), storedClass, decoder)
        let snapshots = try indexes()
        let rows = try snapshots.flatMap { try candidates($0) }
        if let snapshots, let rows {
            try lookUp(rows, snapshots, &scan, unreadable)
        } else {
            try scan.lookAtAll(backend, unreadable)
        }
        let scored = scan.scored
        var top = TopHits(limit: limit ?? scored.count)
        for hit in scored { top.insert(hit) }
        let hits = try top.sorted().map { try self.hit($0) }
        return RecordSearchAnswer(
            hits: hits, totalCount: scored.count,
            plan: plan(usesIndexes: rows != nil, scan.looked, scored.count, shown: hits.count),
            unusedIndexes: unused)
    }

    /// The indexes; `nil` if one of them cannot be used.
    private func indexes() throws -> [TextSnapshot]? {
        var snapshots: [TextSnapshot] = []
        for text in texts {
            guard let table = text.table else { return nil }
            snapshots.append(
                try TextSnapshot(table, hasLengths: text.tokenizer.hasLengths, backend))
        }
        return snapshots
    }

    /// The rows of all records in which something stands that counts, apart from those that the indexes
    /// say are to be asked; `nil` if the search only excludes.
    private func candidates(_ snapshots: [TextSnapshot]) throws -> Set<RowID>? {
        var rows = Set<RowID>()
        var isAsked = false
        for leaf in search.leaves where leaf.isWanted {
            for (index, snapshot) in snapshots.enumerated() where !leaf.patterns[index].isEmpty {
                isAsked = true
                rows.formUnion(try TermRows(snapshot).rows(leaf.patterns[index]))
            }
        }
        return isAsked || search.root == nil ? rows : nil
    }

    private func lookUp(
        _ rows: Set<RowID>, _ snapshots: [TextSnapshot], _ scan: inout TextScan,
        _ unreadable: (RowID, StoreError) -> Void
    ) throws {
        var rows = rows
        for snapshot in snapshots { rows.formUnion(snapshot.fresh.keys) }
        scan.begin(snapshots)
        try scan.look(at: rows.sorted(), snapshots, backend, unreadable)
    }

    private func hit(_ scored: ScoredRow) throws -> RecordSearchAnswer.Hit {
        let record = DataBuffer()
        var shown: [RecordSearchAnswer.FoundText] = []
        if try backend.value(of: scored.row, in: storedClass.table, into: record) {
            let fields = try? record.withUnsafeBytes {
                try decoder.decode($0, row: scored.row, of: storedClass).fields
            }
            let found = FoundTexts(search)
            for (index, text) in texts.enumerated() {
                guard let content = fields?.text(of: text.field) else { continue }
                let ranges = found.ranges(in: content, fields: [index])
                guard !ranges.isEmpty else { continue }
                let snippet = SearchSnippet(content, ranges, length: 80)
                shown.append(.init(name: text.name, snippet))
            }
        }
        return .init(row: scored.row, score: scored.score, typos: scored.typos, texts: shown)
    }

    private func plan(
        usesIndexes: Bool, _ looked: Int, _ found: Int, shown: Int
    ) -> QueryPlan {
        let names = texts.map(\.name)
        var steps: [QueryPlan.Step] = [
            .init(
                action: usesIndexes
                    ? .search(indexes: names, query: query.text)
                    : .scan(className: storedClass.name), estimatedRows: nil, rows: looked),
            .init(
                action: .filter(
                    condition: "\(names.joined(separator: ", ")) matching \(query.text)",
                    makesObjects: false), estimatedRows: nil, rows: found),
        ]
        if shown < found {
            steps.append(.init(action: .limit(shown), estimatedRows: nil, rows: shown))
        }
        return QueryPlan(steps: steps, objectsMade: nil)
    }
}
