import CabinetBackend
import CabinetTextSearch
import Foundation

extension StoreQuery {
    /// The objects whose texts match `search`, best first or in the order of the query, and where they do.
    ///
    /// ```swift
    /// let late = store.query(Song.self).filter(#Predicate { $0.year > 1960 }).limit(20)
    /// for hit in try late.search(#""blue train" OR col* NOT live"#) {
    ///     print(hit.score, hit.object.title, hit.snippet(in: \.lyrics).text)
    /// }
    /// ```
    /// Filters, order, limit and offset are those of the query; subclasses are not searched. An order reads the
    /// record of every hit, not of the first ones alone. Without a limit all hits are in memory together.
    /// Pending changes count. While a text index is not complete, every object is looked at.
    /// - Parameters:
    ///   - search: see ``SearchQuery``.
    ///   - property: whose text indexes are searched; `nil`: all of the class.
    ///   - name: the one text index that is searched, which may be a computed one, that no property has.
    ///   - order: the order of the hits of a query that has none.
    ///   - weights: how much hits in a text index count, by its name: 0 or more; 1 where nothing is said.
    ///     Where one is above 1e100, all are made less in proportion, so that scores stay finite.
    /// - Throws: ``QuerySyntaxError`` for a search that is malformed or names a text that the class has not;
    ///   ``StoreError/notSearchable(class:text:)`` without such a text index, or for a weight of one;
    ///   ``StoreError/badWeight(class:text:weight:)``; what ``objects()`` does.
    public func search(
        _ search: String, in property: PartialKeyPath<Object>? = nil, inIndex name: String? = nil,
        orderedBy order: SearchOrder = .relevance, weights: [String: Double] = [:]
    ) throws -> SearchResults<Object> {
        try self.search(
            SearchQuery(search), in: property, inIndex: name, orderedBy: order, weights: weights)
    }

    /// As ``search(_:in:inIndex:orderedBy:weights:)-(String,_,_,_,_)``, for a search that was made before, such
    /// as one of what a person has typed.
    public func search(
        _ search: SearchQuery, in property: PartialKeyPath<Object>? = nil,
        inIndex name: String? = nil, orderedBy order: SearchOrder = .relevance,
        weights: [String: Double] = [:]
    ) throws -> SearchResults<Object> {
        try store.search(query, search, in: property, named: name, order, weights)
    }

    /// How a search is answered, together with the filters. Runs it, and makes no objects of what it finds;
    /// ``SearchResults/plan`` says the same of a search that was made.
    ///
    /// ```swift
    /// print(try late.explainSearch(SearchQuery("blue train")))
    /// ```
    /// - Throws: what the search throws.
    public func explainSearch(
        _ search: SearchQuery, in property: PartialKeyPath<Object>? = nil
    ) throws -> QueryPlan {
        var plan = try limit(0).search(search, in: property, orderedBy: .row).plan
        if case .limit? = plan.steps.last?.action { plan.steps.removeLast() }
        return plan
    }
}

extension Store {
    /// The hits in all text indexes of a class, in those of a property, or in the one of a name.
    fileprivate func search<Object: StoredObject>(
        _ asked: ObjectQuery<Object>, _ query: SearchQuery, in property: AnyKeyPath?,
        named name: String?, _ order: SearchOrder, _ weights: [String: Double]
    ) throws -> SearchResults<Object> {
        let storedClass = try classToRead(Object.self)
        let texts = try searchableTexts(of: storedClass, property, named: name)
        try query.checkFields(known: texts.map(\.name))
        try check(weights, of: texts)
        let fields = fields(of: storedClass)
        var condition: Condition?
        if case .everything = asked.criterion {
        } else {
            condition = try asked.criterion.condition(fields, in: self)
        }
        var run = SearchRun(
            self, storedClass, texts, query, weights: Self.counted(weights, of: texts),
            isScored: asked.sortedBy.isEmpty && order == .relevance, condition: condition)
        enumerations += 1
        defer { enumerations -= 1 }
        let answer: FoundRows
        var found: [ScoredRow]
        if run.isScored {
            answer = try run.find(best: asked.bound)
            found = answer.sorted()
        } else {
            answer = try run.find()
            found = answer.rows
            try sort(&found, asked, storedClass)
        }
        let total = answer.total
        let window = asked.window(of: found.count)
        let shown = found.count == window.count ? found : Array(found[window])
        let shared = FoundTexts(run.search, texts.map(\.source), fields)
        return SearchResults(
            found: try foundObjects(of: storedClass, at: shown, shared), totalCount: total,
            plan: run.plan(query, found: total, shown: window.count))
    }

    /// The rows of the objects of exactly a class that a search finds, best first.
    func rowsByRelevance(of type: StoredObject.Type, _ query: SearchQuery) throws -> [RowID] {
        let storedClass = try classToRead(type)
        let texts = try searchableTexts(of: storedClass, nil)
        try query.checkFields(known: texts.map(\.name))
        var run = SearchRun(
            self, storedClass, texts, query, weights: texts.map { _ in 1 }, isScored: true,
            condition: nil)
        enumerations += 1
        defer { enumerations -= 1 }
        return try run.find().sorted().map(\.row)
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

    /// The weight of each text, none so large that a score is infinite.
    private static func counted(_ weights: [String: Double], of texts: [ClassText]) -> [Double] {
        let given = texts.map { weights[$0.name] ?? 1 }
        guard let most = given.max(), most > 1e100 else { return given }
        return given.map { $0 / most * 1e100 }
    }

    /// Requires that weights are numbers that scores can be multiplied with, of text indexes that there are.
    private func check(_ weights: [String: Double], of texts: [ClassText]) throws(StoreError) {
        for (name, weight) in weights.sorted(by: { $0.key < $1.key }) {
            guard let text = texts.first(where: { $0.name == name }) ?? texts.first else { return }
            let owner = text.storedClass.name
            guard text.name == name else { throw .notSearchable(class: owner, text: name) }
            guard weight >= 0, weight.isFinite else {
                throw .badWeight(class: owner, text: name, weight: weight)
            }
        }
    }

    private func sort<Object: StoredObject>(
        _ found: inout [ScoredRow], _ asked: ObjectQuery<Object>, _ storedClass: StoredClass
    ) throws {
        if asked.sortedBy.isEmpty {
            // What the index alone has found is in the order of rows.
            if zip(found, found.dropFirst()).contains(where: { $0.row > $1.row }) {
                found.sort { $0.row < $1.row }
            }
            return
        }
        let matches = Matches(
            by: asked.sortedBy.map { $0.makeColumn() }, wanted: [], bound: asked.bound)
        let fields = fields(of: storedClass)
        matches.turn(to: fields, at: 0)
        let cursor = RowCursor(self, fields)
        let byRow = Dictionary(found.map { ($0.row, $0) }, uniquingKeysWith: { one, _ in one })
        var saved: [RowID] = []
        for row in byRow.keys.sorted() {
            guard let existing = storedClass.existing(row), existing.state.isPending else {
                saved.append(row)
                continue
            }
            cursor.take(existing)
            try matches.append(cursor)
        }
        try forEachRecord(at: saved, of: storedClass) { row, record in
            if try cursor.take(record, at: row) { try matches.append(cursor) }
        }
        matches.sort()
        found = matches.places.compactMap { byRow[$0.row] }
    }
}
