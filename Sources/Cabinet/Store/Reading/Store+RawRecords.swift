import CabinetBackend

extension Store {
    /// Calls `body` with each saved record of the class with the storage name `name`, in no order,
    /// also of a class that the program does not have any more.
    ///
    /// For a ``Migration`` that moves objects to another class. Pending changes do not count.
    /// Objects may be inserted and changed in `body`; `save()`, undo, redo and `close()` throw
    /// ``StoreError/enumerating`` there, and `rollback()` traps. A record that `body` is given is
    /// good until it returns. A class that has no records, or that the store does not know, has
    /// none to call `body` with.
    /// - Throws: what `body` throws; ``StoreError/handWrittenRecord(class:row:version:)`` for a record
    ///   that only its class can read; ``StoreError/cannotRead(class:row:reason:)``,
    ///   ``StoreError/unknownLayout(class:row:number:)``, ``StoreError/badCatalog(class:reason:)``,
    ///   ``StoreError/closed``, or a ``BackendError``.
    public func forEachRecord(of name: String, _ body: (RawRecord) throws -> Void) throws {
        try checkOpen()
        let reader = try readerForWalk()
        let decoder = RecordDecoder(try savedSchema())
        guard let storedClass = decoder.schema[name] else { return }
        enumerations += 1
        defer { enumerations -= 1 }
        let run = RecordRun()
        let cursor = try reader.records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() {
                try decoder.withRawRecord(record, row: row, of: storedClass, in: self, body)
            }
        }
    }
}

/// What the catalog says of the store's classes and others, as of one commit.
private final class SavedSchema {
    var look = CatalogLook()
    var schema: StoreSchema?
}

extension Store {
    /// What the catalog says of all classes as of the store's basis: read once for each.
    func savedSchema() throws -> StoreSchema {
        let known = annex(SavedSchema.self) { _ in SavedSchema() }
        if let schema = known.schema, try known.look.isCurrent(in: self) { return schema }
        let schema = try known.look.read(in: self) { try StoreSchema($0) }
        known.schema = schema
        return schema
    }
}
