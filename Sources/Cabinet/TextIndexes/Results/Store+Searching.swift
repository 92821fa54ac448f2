import CabinetBackend
import CabinetTextSearch
import Foundation

extension Store {
    /// The objects of class `type` whose texts match `query`, best first.
    ///
    /// ```swift
    /// for hit in try store.search(Song.self, #""blue train" OR col* NOT live"#, limit: 20) {
    ///     print(hit.score, hit.object.title, hit.snippet(in: \.lyrics).text)
    /// }
    /// ```
    ///
    /// Pending changes count. While a text index is not complete, every object is looked at.
    /// - Parameters:
    ///   - type: the class; its subclasses are not searched.
    ///   - query: see ``SearchQuery``.
    ///   - predicate: what the objects must meet besides.
    ///   - order: the order of the hits.
    ///   - weights: how much hits in a text index count, by its name: 0 or more; 1 where nothing is said.
    ///   - limit: how many hits at most; `nil` for all, which are in memory together. Below 0 counts as 0.
    ///   - offset: how many hits to leave out at the front. Below 0 counts as 0.
    /// - Throws: ``QuerySyntaxError`` for a query that is malformed or names a text that the class has not;
    ///   ``StoreError/notSearchable(class:text:)`` for a class without text indexes, or a weight for one that
    ///   it has not; ``StoreError/badWeight(class:text:weight:)``; what ``fetch(_:)`` throws.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: String, where predicate: Predicate<Object>? = nil,
        orderedBy order: SearchOrder<Object> = .relevance, weights: [String: Double] = [:],
        limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try search(
            type, try SearchQuery(query), where: predicate, orderedBy: order, weights: weights,
            limit: limit, offset: offset)
    }

    /// As ``search(_:_:where:orderedBy:weights:limit:offset:)-(_,String,_,_,_,_,_)``, for a query that was
    /// made before, such as one of what a person has typed.
    public func search<Object: StoredObject>(
        _ type: Object.Type, _ query: SearchQuery, where predicate: Predicate<Object>? = nil,
        orderedBy order: SearchOrder<Object> = .relevance, weights: [String: Double] = [:],
        limit: Int? = nil, offset: Int = 0
    ) throws -> SearchResults<Object> {
        try search(type, query, in: nil, named: nil, predicate, order, weights, limit, offset)
    }

    /// How a search is answered: with a predicate, in one plan. Runs it, and makes no objects of what it
    /// finds; ``SearchResults/plan`` says the same of a search that was made.
    ///
    /// ```swift
    /// print(try store.explainSearch(Song.self, "blue train", where: #Predicate { $0.year > 1960 }))
    /// ```
    /// - Throws: what the search throws.
    public func explainSearch<Object: StoredObject>(
        _ type: Object.Type, _ query: String, in property: PartialKeyPath<Object>? = nil,
        where predicate: Predicate<Object>? = nil
    ) throws -> QueryPlan {
        try explainSearch(type, try SearchQuery(query), in: property, where: predicate)
    }

    /// How a search for a query that was made before is answered.
    public func explainSearch<Object: StoredObject>(
        _ type: Object.Type, _ query: SearchQuery, in property: PartialKeyPath<Object>? = nil,
        where predicate: Predicate<Object>? = nil
    ) throws -> QueryPlan {
        var plan = try search(
            type, query, in: property, named: nil, predicate, .row, [:], 0, 0
        ).plan
        if case .limit? = plan.steps.last?.action { plan.steps.removeLast() }
        return plan
    }

    /// The hits in all text indexes of a class, in those of a property, or in the one of a name.
    func search<Object: StoredObject>(
        _ type: Object.Type, _ query: SearchQuery, in property: AnyKeyPath?, named name: String?,
        _ predicate: Predicate<Object>?, _ order: SearchOrder<Object>,
        _ weights: [String: Double], _ limit: Int?, _ offset: Int
    ) throws -> SearchResults<Object> {
        let storedClass = try classToRead(type)
        let texts = try searchableTexts(of: storedClass, property, named: name)
        try query.checkFields(known: texts.map(\.name))
        try check(weights, of: texts)
        let fields = fields(of: storedClass)
        let condition = predicate.map { PredicateCompiler.condition($0, fields) }
        var run = SearchRun(
            self, storedClass, texts, query, weights: texts.map { weights[$0.name] ?? 1 },
            isScored: order.isByRelevance, condition: condition)
        enumerations += 1
        defer { enumerations -= 1 }
        let bound = Self.bound(limit, offset)
        let answer: FoundRows
        var found: [ScoredRow]
        if case .relevance = order {
            answer = try run.find(best: bound)
            found = answer.sorted()
        } else {
            answer = try run.find()
            found = answer.rows
            try sort(&found, order, storedClass, bound: bound)
        }
        let total = answer.total
        let start = Swift.min(max(offset, 0), found.count)
        let end = limit.map { start + Swift.min(max($0, 0), found.count - start) } ?? found.count
        let shown = found.count == end - start ? found : Array(found[start..<end])
        let shared = FoundTexts(run.search, texts.map(\.source), fields)
        return SearchResults(
            found: try foundObjects(of: storedClass, at: shown, shared), totalCount: total,
            plan: run.plan(query, found: total, shown: end - start))
    }

    /// How many of the first hits count; `nil` for all.
    private static func bound(_ limit: Int?, _ offset: Int) -> Int? {
        guard let limit else { return nil }
        let (sum, overflows) = max(limit, 0).addingReportingOverflow(max(offset, 0))
        return overflows ? nil : sum
    }

    /// The text indexes of a class, those of a property, or the one of a name.
    func searchableTexts(
        of storedClass: StoredClass, _ property: AnyKeyPath?, named name: String? = nil
    ) throws -> [ClassText] {
        let all = try textKeeper?.texts(of: storedClass)?.all ?? []
        var texts = all
        if let property {
            texts = all.filter { $0.source.keyPath == property }
            if texts.isEmpty {
                let fields = fields(of: storedClass)
                texts = all.filter { $0.source.stands(for: property, fields) }
            }
        }
        if let name { texts.removeAll { $0.name != name } }
        guard !texts.isEmpty else {
            let missing = name ?? property.map { fields(of: storedClass).name(of: $0) }
            throw StoreError.notSearchable(class: storedClass.name, text: missing ?? "")
        }
        return texts
    }

    /// Requires that weights are numbers that scores can be multiplied with, of text indexes that there are.
    private func check(_ weights: [String: Double], of texts: [ClassText]) throws(StoreError) {
        for (name, weight) in weights.inOrder(by: { $0.key < $1.key }) {
            guard let text = texts.first(where: { $0.name == name }) ?? texts.first else { return }
            let owner = text.storedClass.name
            guard text.name == name else { throw .notSearchable(class: owner, text: name) }
            guard weight >= 0, weight.isFinite else {
                throw .badWeight(class: owner, text: name, weight: weight)
            }
        }
    }

    private func sort<Object: StoredObject>(
        _ found: inout [ScoredRow], _ order: SearchOrder<Object>, _ storedClass: StoredClass,
        bound: Int?
    ) throws {
        switch order {
        case .relevance: break
        case .row:
            // What the index alone has found is in this order.
            if zip(found, found.dropFirst()).contains(where: { $0.row > $1.row }) {
                found.sort { $0.row < $1.row }
            }
        case .properties(let orders):
            let matches = Matches(
                by: orders.map { $0.makeColumn() }, wanted: [], bound: bound)
            let fields = fields(of: storedClass)
            matches.turn(to: fields, at: 0)
            let candidate = Candidate(self, fields)
            let byRow = Dictionary(found.map { ($0.row, $0) }, uniquingKeysWith: { one, _ in one })
            var saved: [RowID] = []
            for row in byRow.keys.sorted() {
                guard let existing = storedClass.existing(row), existing.state.isPending else {
                    saved.append(row)
                    continue
                }
                candidate.take(existing)
                try matches.append(candidate)
            }
            try forEachRecord(at: saved, of: storedClass) { row, record in
                if try candidate.take(record, at: row) { try matches.append(candidate) }
            }
            matches.sort()
            found = matches.places.compactMap { byRow[$0.row] }
        }
    }
}
