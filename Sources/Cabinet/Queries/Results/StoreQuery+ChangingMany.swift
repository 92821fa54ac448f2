extension StoreQuery {
    /// Deletes the objects, as ``Store/delete(_:)`` does, all or none: what a rule says is judged by what
    /// stays when all of them are gone. One step of undo; pending until the next save.
    /// - Returns: how many there were. Delete rules may have deleted others.
    /// - Throws: what ``Store/delete(_:)`` and ``objects()`` do. Nothing was deleted then.
    @discardableResult
    public func delete() throws -> Int {
        let found = try objects()
        try store.delete(contentsOf: found)
        return found.count
    }

    /// Calls `body` with each object: all that it does is done, or nothing. One step of undo; pending until
    /// the next save.
    ///
    /// The objects are found before `body` is first called, so what it changes does not matter to
    /// that. `save()`, undo, redo and `close()` throw ``StoreError/stepUnderWay`` in it.
    /// - Returns: how many there were.
    /// - Throws: what `body` and ``objects()`` throw. What `body` did to objects of the store is taken
    ///   back then.
    @discardableResult
    public func update(_ body: (Object) throws -> Void) throws -> Int {
        let found = try objects()
        try store.step { for object in found where !object.isDeleted { try body(object) } }
        return found.count
    }

    /// Calls `body` with each object, with its content. Memory stays flat: an object that neither you nor
    /// a pending change holds goes before the next comes.
    ///
    /// Without an order, limit, offset and prefetching, `body` is called while the records are read, in no
    /// order. Otherwise the rows are found and sorted first; then the objects are read, and what is to be
    /// prefetched of them, some hundred at a time. Inside, objects may be edited, inserted and deleted;
    /// `save()`, undo, redo and `close()` throw ``StoreError/enumerating``, and `rollback()` traps.
    /// - Throws: what `body` throws, and what ``objects()`` does.
    public func forEachObject(_ body: (Object) throws -> Void) throws {
        var run = try QueryRun(store, query)
        if query.sortedBy.isEmpty, !query.isCut, query.prefetching.isEmpty {
            return try run.forEachMatch { cursor in
                try body(unsafeDowncast(try cursor.object(), to: Object.self))
                return true
            }
        }
        let places = try run.matches().places
        store.enumerations += 1
        defer { store.enumerations -= 1 }
        for start in stride(from: 0, to: places.count, by: Self.readAtOnce) {
            let part = places[start..<min(start + Self.readAtOnce, places.count)]
            let known = try run.classes.enumerated().map { number, storedClass in
                let rows = part.compactMap { $0.storedClass == number ? $0.row : nil }
                return rows.isEmpty ? [:] : try store.read(rows, of: storedClass)
            }
            let objects = part.compactMap { place in
                known[place.storedClass][place.row].map { unsafeDowncast($0, to: Object.self) }
            }
            try store.prefetch(query, of: objects)
            for object in objects where !object.isDeleted { try body(object) }
        }
    }

    private static var readAtOnce: Int { 256 }
}
