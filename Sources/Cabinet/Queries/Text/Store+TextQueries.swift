import CabinetTextSearch

extension ObjectQuery {
    /// A query in text, with values for its `?`.
    ///
    /// Fields that the class does not declare are found when the query is used.
    /// - Throws: ``QuerySyntaxError``
    public init(
        _ text: QueryText, _ parameters: any QueryParameter..., includingSubclasses: Bool = false
    ) throws(QuerySyntaxError) {
        try self.init(parsing: text.adding(parameters), includingSubclasses)
    }

    init(parsing text: QueryText, _ includesSubclasses: Bool = false) throws(QuerySyntaxError) {
        let statement = try QueryParser.parse(text)
        self.init(
            .text(statement),
            statement.order.map {
                ObjectOrder(named: $0.name, isDescending: $0.isDescending)
            }, statement.limit, statement.offset, includesSubclasses)
    }
}

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

extension Store {
    /// The objects of class `type` that a query in text asks for, with values for its `?`.
    ///
    /// ```swift
    /// let songs = try store.fetch(
    ///     Song.self, "artist = ? AND year > ? ORDER BY title DESC LIMIT 20", "Coltrane", 1960)
    /// ```
    /// - Throws: ``QuerySyntaxError``, also for a field that the class does not declare; what
    ///   ``fetch(_:)`` does.
    public func fetch<Object: StoredObject>(
        _ type: Object.Type, _ text: QueryText, _ parameters: any QueryParameter...
    ) throws -> [Object] {
        try fetch(ObjectQuery<Object>(parsing: text.adding(parameters)))
    }

    /// The first object that ``fetch(_:_:_:)`` would give; `nil` if there is none.
    /// - Throws: what ``fetch(_:_:_:)`` does.
    public func first<Object: StoredObject>(
        _ type: Object.Type, _ text: QueryText, _ parameters: any QueryParameter...
    ) throws -> Object? {
        try first(ObjectQuery<Object>(parsing: text.adding(parameters)))
    }

    /// Whether ``fetch(_:_:_:)`` would give anything. Stops at the first object that settles it.
    /// - Throws: what ``fetch(_:_:_:)`` does.
    public func exists<Object: StoredObject>(
        _ type: Object.Type, _ text: QueryText, _ parameters: any QueryParameter...
    ) throws -> Bool {
        try exists(ObjectQuery<Object>(parsing: text.adding(parameters)))
    }

    /// How many objects ``fetch(_:_:_:)`` would give.
    /// - Throws: what ``fetch(_:_:_:)`` does.
    public func count<Object: StoredObject>(
        of type: Object.Type, _ text: QueryText, _ parameters: any QueryParameter...
    ) throws -> Int {
        try count(ObjectQuery<Object>(parsing: text.adding(parameters)))
    }
}
