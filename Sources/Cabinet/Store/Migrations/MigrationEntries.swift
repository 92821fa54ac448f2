import CabinetBackend

/// Writes the names of migrations into the save with their changes, and removes the records of the
/// classes that they drop. Each name has a catalog entry of its own, so that stores overwrite none
/// of each other's.
final class MigrationEntries: CommitParticipant {
    private unowned let store: Store
    private let migrations: [Migration]
    /// Whether the migrations ran; a new store needs none.
    private let haveRun: Bool
    private(set) var isCommitted = false

    init(_ migrations: [Migration], haveRun: Bool, in store: Store) {
        self.store = store
        self.migrations = migrations
        self.haveRun = haveRun
    }

    var dropsClasses: Bool { haveRun && !migrations.allSatisfy(\.droppedClasses.isEmpty) }

    func follows(_ storedClass: StoredClass) -> Bool { false }
    func begin(_ commit: Commit) throws {}
    func note(_ event: RecordEvent, in commit: Commit) throws {}
    func didEnd(committed number: CommitNumber?) { if number != nil { isCommitted = true } }
    func forgetWhatIsSaved() {}

    func join(_ commit: Commit) throws {
        // An older program may have begun the store since.
        if !haveRun, try !store.isNew() { throw StoreError.migrationUnderWay }
        let batch = commit.batch
        let value = Array((haveRun ? "ran" : "new").utf8)
        for migration in migrations {
            let name = CatalogName.migration(migration.name)
            if try store.backend.catalogEntry(name) == nil {
                let key = Array(name.utf8)
                batch.require(.absent, key: key, in: .catalog)
                try batch.put(value, for: key, in: .catalog)
            } else if haveRun {
                // Another program has run it since.
                throw StoreError.migrationUnderWay
            }
        }
        guard haveRun else { return }
        let dropped = Set(migrations.flatMap(\.droppedClasses).map { $0.lowercased() })
        if dropped.isEmpty { return }
        for table in try store.backend.tables()
        where table.kind == .record && dropped.contains(table.foldedName) {
            try remove(table, in: batch)
        }
    }

    /// Removes all records of a class. Its table and number stay, as other records may refer to it.
    private func remove(_ table: TableDefinition, in batch: WriteBatch) throws {
        let run = RecordRun()
        let cursor = try store.readerForWalk().records(in: table.number)
        // Whether the class has kept its history is for it to say, and it is not there any more.
        let keepsFormer = store.participants.contains(where: \.keepsFormers)
        while try cursor.next(run) {
            while let (row, record) = run.next() {
                try batch.deleteRow(row, in: table.number)
                if keepsFormer { try batch.addFormer(record, of: row, in: table.number) }
            }
        }
        var derived = try store.reader.derivedEntries(ofClass: table.classNumber)
        derived.leaveAllBehind(at: store.basis)
        try derived.put(ofClass: table.classNumber, in: batch)
        try ReferrerTable.removeReferences(
            .byOwner, ofClass: table.classNumber, of: store.backend, in: batch)
    }
}

extension CatalogName {
    /// What became of a migration, as text: `ran` or, in a store that was new, `new`.
    static func migration(_ name: String) -> String { "migration.\(name)" }
}
