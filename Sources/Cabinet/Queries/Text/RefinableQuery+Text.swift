import CabinetTextSearch

extension RefinableQuery {
    /// The objects that meet a condition in text besides, with values for its `?`.
    ///
    /// ```swift
    /// let songs = try store.query(Song.self)
    ///     .filter(text: "artist = ? AND year > ? ORDER BY title DESC", "Coltrane", 1960).objects()
    /// ```
    /// An order in the text goes behind those of the query; a limit and an offset take the place of its own.
    /// Fields that the class does not declare are found when the query is run.
    /// - Throws: ``QuerySyntaxError``
    public func filter(
        text: QueryText, _ parameters: any QueryParameter...
    ) throws(QuerySyntaxError) -> Self {
        let statement = try QueryParser.parse(text.adding(parameters))
        return with { query in
            query.criterion = query.criterion.and(.text(statement))
            query.sortedBy += statement.order.map {
                ObjectOrder(named: $0.name, isDescending: $0.isDescending)
            }
            query.limit = statement.limit ?? query.limit
            if statement.offset > 0 { query.offset = statement.offset }
        }
    }
}
