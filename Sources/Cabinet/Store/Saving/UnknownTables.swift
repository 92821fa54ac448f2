import CabinetBackend

/// Leaves behind what newer programs derive from the records of classes, in tables of kinds that this
/// program does not know: the first record of a class that a commit changes has it say so in the catalog.
///
/// It takes part in the commits of a store that has such tables when it is opened. While a store is open
/// for writing no other program writes it, so none come later.
final class UnknownTables: CommitParticipant {
    private unowned let store: Store
    /// By class number, as of the commit that ``catalog`` is as of.
    private var tables: [UInt8: DerivedTables] = [:]
    private var catalog = CatalogLook()
    /// The classes that the present commit changes, and what it says of their tables.
    private var ofCommit: [UInt8: DerivedTables] = [:]

    /// `nil` if no class of the store has such tables.
    init?(_ store: Store) throws {
        self.store = store
        try look()
        if tables.isEmpty { return nil }
    }

    private func look() throws {
        if try catalog.isCurrent(in: store) { return }
        try catalog.read(in: store) { reader in
            tables = [:]
            for storedClass in store.classes {
                tables[storedClass.number] = try reader.derivedTables(
                    ofClass: storedClass.number, named: storedClass.name)
            }
        }
    }

    func follows(_ storedClass: StoredClass) -> Bool { tables[storedClass.number] != nil }

    func begin(_ commit: Commit) throws { ofCommit = [:] }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        let number = event.storedClass.number
        guard ofCommit[number] == nil else { return }
        try look()
        guard let found = tables[number] else { return }
        var left = found
        left.leaveBehind(at: store.basis)
        ofCommit[number] = left
        try Self.put(left, insteadOf: found, ofClass: number, in: commit.batch)
        guard left == found, store.isIsolated, store.frozen != nil || store.slot.isShared else {
            return
        }
        Array(CatalogName.derived(ofClass: number).utf8).withUnsafeBytes {
            commit.batch.require(.unchanged, key: $0, in: .catalog)
        }
    }

    /// `batch` removes all records of a class.
    static func leaveBehind(
        _ table: TableDefinition, of store: Store, in batch: WriteBatch
    ) throws {
        let found = try store.backend.derivedTables(ofClass: table.classNumber, named: table.name)
        guard let found else { return }
        var left = found
        left.leaveBehind(at: store.basis)
        try put(left, insteadOf: found, ofClass: table.classNumber, in: batch)
    }

    private static func put(
        _ tables: DerivedTables, insteadOf former: DerivedTables, ofClass number: UInt8,
        in batch: WriteBatch
    ) throws(BackendError) {
        if tables == former { return }
        try Array(CatalogName.derived(ofClass: number).utf8).withUnsafeBytesThrowing {
            key throws(BackendError) in
            try tables.bytes.withUnsafeBytesThrowing { value throws(BackendError) in
                try batch.put(value, for: key, in: .catalog)
            }
        }
    }

    func join(_ commit: Commit) throws {}

    func didEnd(committed number: CommitNumber?) {
        defer { ofCommit = [:] }
        guard let number else { return catalog.forget() }
        tables.merge(ofCommit) { $1 }
        catalog.noteCommit(number)
    }

    func forgetWhatIsSaved() { catalog.forget() }
}
