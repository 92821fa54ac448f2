import CabinetBackend

extension StoreQuery {
    /// The next objects, behind those of the page that `token` is from.
    ///
    /// ```swift
    /// var page = try store.query(query).page(limit: 20)
    /// while let next = page.next {
    ///     page = try store.query(query).page(after: next, limit: 20)
    /// }
    /// ```
    /// Where an index has the order of the query, this is a look-up, however far the page is; otherwise
    /// the condition is asked of all objects, and the first ones are kept. The query's own limit and offset do
    /// not count, and its condition may be another one than before.
    /// - Parameters:
    ///   - token: what ``ObjectPage/next`` of the page before was; `nil` for the first page.
    ///   - limit: how many objects at most; below 1 counts as 1.
    /// - Throws: ``QueryError/otherPageToken(order:expected:)`` for a token of another class, order or
    ///   store; ``QueryError/damagedPageToken``; ``QueryError/notPageable(property:)`` for an order that
    ///   tokens cannot keep; what ``objects()`` does.
    public func page(after token: PageToken? = nil, limit: Int) throws -> ObjectPage<Object> {
        let limit = max(limit, 1)
        var query = query
        query.offset = 0
        // One more tells whether there are others.
        query.limit = limit == .max ? nil : limit + 1
        var run = try QueryRun(store, query)
        let properties = try run.pagedProperties()
        if let token {
            let order = run.orderName
            guard token.order == order, token.store == store.backend.identity else {
                throw QueryError.otherPageToken(order: token.order, expected: order)
            }
            do throws(DataBufferError) {
                run.behind = try PageBound(token, properties)
            } catch {
                throw QueryError.damagedPageToken
            }
        }
        var objects = try run.objects()
        var next: PageToken?
        if objects.count > limit {
            objects.removeLast(objects.count - limit)
            next = try objects.last.flatMap { try run.token(behind: $0, properties) }
        }
        try store.prefetch(query, of: objects)
        return ObjectPage(objects: objects, next: next)
    }
}

extension QueryRun {
    /// The class and the order, in words.
    fileprivate var orderName: String {
        let fields = store.fields(of: classes[0])
        let parts = query.sortedBy.map { $0.name(fields) }
        return classes[0].name + (query.includesSubclasses ? " with subclasses" : "")
            + (parts.isEmpty ? "" : " by " + parts.joined(separator: ", "))
    }

    /// Of each class, what the query is sorted by.
    /// - Throws: ``QueryError/notPageable(property:)``
    fileprivate func pagedProperties() throws(QueryError) -> [[PagedProperty]] {
        var found: [[PagedProperty]] = []
        for storedClass in classes {
            let fields = store.fields(of: storedClass)
            var parts: [PagedProperty] = []
            for order in query.sortedBy {
                guard let property = order.paged(fields) else {
                    throw .notPageable(property: order.name(fields))
                }
                parts.append(property)
            }
            found.append(parts)
        }
        return found
    }

    fileprivate func token(
        behind object: Object, _ properties: [[PagedProperty]]
    ) throws -> PageToken? {
        guard let storedClass = object.storedClass,
            let index = classes.firstIndex(where: { $0 === storedClass })
        else { return nil }
        let cursor = RowCursor(store, store.fields(of: storedClass))
        cursor.take(object)
        let buffer = DataBuffer()
        for property in properties[index] { try property.write(cursor, buffer) }
        if let error = buffer.writeError { throw error }
        return PageToken(
            store: store.backend.identity, order: orderName, classNumber: storedClass.number,
            row: object.rowID, values: buffer.withUnsafeBytes { Array($0) })
    }
}
