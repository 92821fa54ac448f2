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

extension Store {
    /// As ``commitBesideSaves(ofClass:basis:_:isAnnounced:_:)``. `false`: others have come before.
    func changeEntries(
        ofClass number: UInt8, basis: CommitNumber, to entries: DerivedEntries,
        _ body: (WriteBatch) throws -> Void = { _ in }
    ) throws -> Bool {
        do {
            _ = try commitBesideSaves(ofClass: number, basis: basis, entries, body)
            return true
        } catch BackendError.conflict { return false }
    }

    /// Makes a commit of what `body` adds to derived tables of a class, which no save waits for. If anything
    /// throws, nothing is committed.
    /// - Parameters:
    ///   - basis: what it is based on, where stores are isolated.
    ///   - entries: what the catalog says of the class from then on; `nil`: what it says must be unchanged.
    ///   - isAnnounced: whether other stores must look at the tables again.
    /// - Throws: `BackendError.conflict`, also if others have dropped a table, or if it is not known any more
    ///   what they have changed; other errors of the backend; what `body` throws.
    func commitBesideSaves(
        ofClass number: UInt8, basis: CommitNumber, _ entries: DerivedEntries? = nil,
        isAnnounced: Bool = true, _ body: (WriteBatch) throws -> Void
    ) throws -> CommitNumber {
        let batch = backend.makeBatch()
        do {
            if isIsolated { batch.basis = basis }
            // Before the rest, which is handed over while it is written.
            if let entries {
                try entries.put(ofClass: number, in: batch)
            } else if isIsolated {
                DerivedEntries.requireUnchanged(ofClass: number, in: batch)
            }
            try body(batch)
            SchedulePoint.building.pass()
        } catch {
            backend.discard(batch)
            throw error
        }
        let committed: CommitNumber
        do { committed = try slot.commit(batch, to: backend).number } catch {
            switch error {
            case .changesGone, .noTable: throw BackendError.conflict([])
            default: throw error
            }
        }
        if isAnnounced {
            SchedulePoint.hub.pass()
            _ = hub.didCommit()
        }
        return committed
    }
}
