import Foundation

extension Store {
    /// Deletes the objects of class `type` that meet `predicate`, as ``delete(_:)`` does, all or
    /// none: what a rule says is judged by what stays when all of them are gone. One step of undo;
    /// pending until the next save.
    /// - Returns: how many met it. Delete rules may have deleted others.
    /// - Throws: what ``delete(_:)`` and ``fetch(_:)`` do. Nothing was deleted then.
    @discardableResult
    public func delete<Object: StoredObject>(
        _ type: Object.Type, where predicate: Predicate<Object>, includingSubclasses: Bool = false
    ) throws -> Int {
        let found = try fetch(
            type, where: predicate, includingSubclasses: includingSubclasses)
        try delete(contentsOf: found)
        return found.count
    }

    /// Calls `body` with each object of class `type` that meets `predicate`: all that it does is
    /// done, or nothing. One step of undo; pending until the next save.
    ///
    /// The objects are found before `body` is first called, so what it changes does not matter to
    /// that. `save()`, undo, redo and `close()` throw ``StoreError/stepUnderWay`` in it.
    /// - Returns: how many met it.
    /// - Throws: what `body` and ``fetch(_:)`` throw. What `body` did to objects of the store is taken
    ///   back then.
    @discardableResult
    public func update<Object: StoredObject>(
        _ type: Object.Type, where predicate: Predicate<Object>? = nil,
        includingSubclasses: Bool = false, _ body: (Object) throws -> Void
    ) throws -> Int {
        let found = try fetch(
            type, where: predicate, includingSubclasses: includingSubclasses)
        try step { for object in found where !object.isDeleted { try body(object) } }
        return found.count
    }

    /// Calls `body` with each object that ``fetch(_:)`` would give, with its content. Memory stays
    /// flat: an object that neither you nor a pending change holds goes before the next comes.
    ///
    /// Without an order, limit and offset, `body` is called while the records are read, in no order.
    /// Otherwise the rows are found and sorted first. Inside, objects may be edited, inserted and
    /// deleted; `save()`, undo, redo and `close()` throw ``StoreError/enumerating``, and
    /// `rollback()` traps.
    /// - Throws: what `body` throws, and what ``fetch(_:)`` does.
    public func forEach<Object: StoredObject>(
        in query: ObjectQuery<Object>, _ body: (Object) throws -> Void
    ) throws {
        var run = try QueryRun(self, query)
        if query.sortedBy.isEmpty, query.limit == nil, query.offset <= 0 {
            return try run.forEachMatch { candidate in
                try body(unsafeDowncast(try candidate.object(), to: Object.self))
                return true
            }
        }
        let places = try run.matches().places
        enumerations += 1
        defer { enumerations -= 1 }
        for place in places {
            guard let object = try object(of: run.classes[place.storedClass], place.row) else {
                continue
            }
            try body(unsafeDowncast(object, to: Object.self))
        }
    }
}
