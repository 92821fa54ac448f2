import CabinetBackend
import CabinetTextSearch

extension RefinableQuery {
    /// The objects whose texts match `search` besides.
    ///
    /// ```swift
    /// let songs = try store.query(Song.self).filter(#Predicate { $0.year > 1960 })
    ///     .matching(SearchQuery("blue train")).sorted(by: \.title).limit(20).objects()
    /// ```
    /// One plan answers both: what the search finds is looked at, or what indexes name for the filters, or
    /// what both name, or as many objects in the order of an index as the limit needs, whichever costs
    /// least. ``StoreQuery/explain(running:)`` shows it. Pending changes count.
    ///
    /// Texts of subclasses are searched by their own text indexes, if the query is about these classes, too.
    /// For the best hits first, and for where they were found, use `search`.
    ///
    /// The run throws ``QuerySyntaxError`` for a search that names a text that the class has not, and
    /// ``StoreError/notSearchable(class:text:)`` for a class without text indexes.
    public func matching(_ search: SearchQuery) -> Self {
        let found = ObjectQuery<Object>.Criterion.search(search) { store, storedClass in
            try store.condition(matching: search, storedClass)
        }
        // First, as it says which rows are left.
        return with { $0.criterion = found.and($0.criterion) }
    }
}

extension Store {
    /// Being one of the objects of a class that a search finds now.
    fileprivate func condition(
        matching search: SearchQuery, _ storedClass: StoredClass
    ) throws -> Condition {
        let texts = try searchableTexts(of: storedClass, nil)
        let names = texts.map(\.name)
        try search.checkFields(known: names)
        var run = SearchRun(
            self, storedClass, texts, search, weights: texts.map { _ in 1 }, isScored: false,
            condition: nil)
        enumerations += 1
        defer { enumerations -= 1 }
        let rows = try run.find().rows.map(\.row).sorted()
        return .rows(
            NamedRows(rows, by: .search(indexes: names, query: search.text)),
            text: "\(names.joined(separator: ", ")) matching \(search.text)")
    }
}
