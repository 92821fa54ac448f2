import CabinetBackend

// Changes of the catalog beside saves: by what builds tables, or takes them away.
extension DerivedTables {
    /// Commits another entry of a table and what `body` adds, unless others have changed the entries of its
    /// class since the store's basis. Returns whether it did.
    func commit(
        _ entry: DerivedEntry, of tables: ClassTables,
        _ body: (WriteBatch) throws -> Void = { _ in }
    ) throws -> Bool {
        var entries = tables.entries
        entries[entry.kind, entry.name] = entry
        return try store.changeEntries(
            ofClass: tables.storedClass.number, basis: store.basis, to: entries, body)
    }

    /// Commits that a table is begun anew: it gets a new one, and its former one is dropped. `nil` if others
    /// have changed the entries of its class.
    func commitAnew(_ table: DerivedTable, of tables: ClassTables) throws -> DerivedEntry? {
        // Also where there is no record: a save that has not heard of the table may be under way.
        let entry = table.freshEntry(.building)
        let former = table.table
        let isDone = try commit(entry, of: tables) { batch in
            if let former { try batch.drop(former) }
            _ = try store.defineTable(of: entry, in: batch)
        }
        return isDone ? entry : nil
    }
}
