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
        do {
            _ = try store.commitBesideSaves(
                ofClass: tables.storedClass.number, basis: store.basis, entries, body)
            return true
        } catch BackendError.conflict { return false }
    }

    /// Commits that a table is begun anew: it gets a new one, and its former one is dropped. `nil` if others
    /// have changed the entries of its class.
    func commitAnew(_ table: DerivedTable, of tables: ClassTables) throws -> DerivedEntry? {
        // Also where there is no record: a save that has not heard of the table may be under way.
        let entry = table.newEntry(.building)
        let (former, formerEntry) = (table.table, table.entry)
        let isDone = try commit(entry, of: tables) { batch in
            if let former { try batch.drop(former) }
            if let formerEntry { try batch.letGoOfChanges(for: formerEntry) }
            _ = try store.defineTable(of: entry, in: batch)
        }
        return isDone ? entry : nil
    }
}

// What is committed while a table is behind is kept in the feed, under the name of the table: it is brought up
// to date from there, in later runs, too.
extension DerivedTables {
    /// Once so many bytes were committed, to make the table anew costs less than to keep them.
    private static let keptLimit: UInt64 = 16 << 20

    func catchesUp(_ kind: UInt8) -> Bool {
        keepers.contains { type(of: $0).kind == kind && type(of: $0).catchesUp }
    }

    /// Has what is committed after the store's basis kept for a complete table, which `batch` leaves behind,
    /// until the table is up to date or gone. If the changes are gone by then, or are many, it is made anew.
    func keepChanges(for entry: DerivedEntry, in batch: WriteBatch) throws {
        guard entry.state == .complete, catchesUp(entry.kind),
            store.backend.features.isSuperset(of: [.keptChanges, .lines])
        else { return }
        try batch.keepChanges(
            KeptChanges(
                name: entry.table, position: store.backend.position(of: store.basis),
                limit: Self.keptLimit))
    }
}

extension WriteBatch {
    /// Nothing is kept any more for a table.
    func letGoOfChanges(for entry: DerivedEntry) throws(BackendError) {
        if entry.since != 0 { try letGoOfChanges(for: entry.table) }
    }
}
