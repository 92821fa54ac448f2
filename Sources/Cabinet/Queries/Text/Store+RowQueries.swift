import CabinetBackend

extension Store {
    /// The rows of the objects of a class that a query in text gives, in its order. No object is made.
    ///
    /// Each is asked once more by its record, so that a damaged index adds none.
    /// - Parameter name: the storage name of the class, whose subclasses are not looked at.
    /// - Throws: ``QuerySyntaxError``; ``StoreError/classNotRegistered(_:)``; a ``BackendError``.
    package func rows(of name: String, _ text: QueryText) throws -> [RowID] {
        var run = try QueryRun(self, text, ofClass: name)
        let places = try run.matches().places
        let filter = run.wholeCondition(of: 0).filter
        let cursor = RowCursor(self, fields(of: run.classes[0]))
        let record = DataBuffer()
        return try places.map(\.row).filter { row in
            guard try readRecord(row, of: run.classes[0], into: record) else { return false }
            do {
                return try record.withUnsafeBytes {
                    try cursor.take($0, at: row) && filter.accepts(cursor)
                }
            } catch is RowCursor.Gone {
                return false
            }
        }
    }

    /// How ``rows(of:_:)`` comes to them. Runs the query.
    /// - Throws: what ``rows(of:_:)`` does.
    package func explainRows(of name: String, _ text: QueryText) throws -> QueryPlan {
        var run = try QueryRun(self, text, ofClass: name)
        return try run.plan(running: true)
    }

    /// The indexes of the class of that storage name that no query uses, as they need the class.
    package func unusedIndexes(of name: String) -> [UnusedTable] {
        unusedTables.filter { $0.className == name && $0.kind == IndexKeeper.kind }
    }

    /// The class record of the class of that storage name.
    /// - Throws: ``StoreError/classNotRegistered(_:)``
    func registered(named name: String) throws(StoreError) -> StoredClass {
        guard let found = classes.first(where: { $0.name == name }) else {
            throw .classNotRegistered(name)
        }
        return found
    }
}

extension QueryRun<StoredObject> {
    fileprivate init(_ store: Store, _ text: QueryText, ofClass name: String) throws {
        let query = try ObjectQuery<StoredObject>().filter(text: text)
        try self.init(store, query, classes: [store.registered(named: name)]) {
            try query.criterion.condition($0, in: store)
        }
    }
}
