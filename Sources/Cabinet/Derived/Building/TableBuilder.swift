import CabinetBackend

/// Builds the derived tables of a store's classes that are not complete, of all kinds.
///
/// A commit says that a table is being built; from then on each save enters what it changes. The builder
/// then goes over the records as of a later commit, and has a ``TableFiller`` enter those of which the table
/// has nothing yet. If others change what the catalog says of the class meanwhile, it looks again.
final class TableBuilder {
    let derived: DerivedTables
    let upkeep: UpkeepTask

    /// How often the builder looks again at one table, after others have changed what it is about to.
    private static let attemptsLimit = 1_000

    init(_ derived: DerivedTables, _ upkeep: UpkeepTask) {
        (self.derived, self.upkeep) = (derived, upkeep)
    }

    var store: Store { derived.store }

    /// Builds all of them.
    /// - Throws: `CancellationError`; why a table could not be built, once the others are.
    func run() throws {
        try renew()
        var failure: (any Error)?
        for tables in try derived.allTables() {
            for table in tables.all {
                do { try build(table, of: tables) } catch {
                    if error is CancellationError { throw error }
                    if case StoreError.closed = error { throw error }
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
    }

    /// Begins a table anew, and builds it.
    func buildAnew(_ table: DerivedTable, of tables: ClassTables) throws {
        try renew()
        if table.isKnown { _ = try derived.commitAnew(table, of: tables) }
        try build(table, of: tables)
    }

    /// Learns of all that others have committed and registered.
    private func renew() throws {
        if store.isIsolated { try store.refresh() }
        try derived.prepareToBuild()
    }

    /// Builds one table, unless it is complete.
    func build(_ table: DerivedTable, of tables: ClassTables) throws {
        // What the catalog says of it since this call has begun it anew.
        var begun: DerivedEntry?
        for _ in 0..<Self.attemptsLimit {
            try upkeep.checkCancelled()
            SchedulePoint.building.pass()
            try renew()
            // It may have been unregistered.
            guard tables[table.kind, table.name] === table, try derived.lacksRecords(table) else {
                return
            }
            let entry = table.isAsDefined ? table.entry : nil
            switch entry?.state {
            case .building where !table.addsUp || begun == entry:
                begun = nil
                try refusing(table, of: tables) { try fill(table, tables) }
            case .behind where entry?.since != 0 && derived.catchesUp(table.kind):
                guard var entry else { return }
                entry.state = .catchingUp
                _ = try derived.commit(entry, of: tables)
            case .catchingUp where derived.catchesUp(table.kind):
                try refusing(table, of: tables) { try catchUp(table, tables) }
            case .refused:
                if let error = upkeep.refused[table.workName] { throw error }
                begun = try derived.commitAnew(table, of: tables)
            default: begun = try derived.commitAnew(table, of: tables)
            }
        }
        throw BackendError.conflict([])
    }

    /// Notes why a table cannot be what its definition demands, if `body` throws that.
    private func refusing(
        _ table: DerivedTable, of tables: ClassTables, _ body: () throws -> Void
    ) throws {
        do { try body() } catch let error as StoreError {
            switch error {
            case .notUnique, .keyTooLong: break
            default: throw error
            }
            upkeep.refused[table.workName] = error
            try renew()
            guard tables[table.kind, table.name] === table, var entry = table.entry,
                entry.state.takesPart
            else { return }
            entry.state = .refused
            _ = try derived.commit(entry, of: tables) { try $0.letGoOfChanges(for: entry) }
        }
    }
}
