import CabinetBackend

/// Keeps the derived tables of a store's classes: every commit enters what it changes.
///
/// What stands in such a table for a record follows from the record alone. So a commit compares what it
/// writes with the records that this replaces, each of which is read once for all tables.
final class DerivedTables: CommitParticipant {
    unowned let store: Store
    /// One for each kind.
    @exclusivity(unchecked) private(set) var keepers: [DerivedKeeper] = []
    /// By class number.
    @exclusivity(unchecked) private var byClass: [ClassTables?]
    /// The same by themselves, as every commit goes over them.
    @exclusivity(unchecked) private var present: [ClassTables] = []
    /// As of which commit ``ClassTables/entries`` and the numbers of tables are known.
    @exclusivity(unchecked) private var catalog = CatalogLook()
    /// Whether there is something to build that no opening has asked for.
    @exclusivity(unchecked) private var asksForWork = false
    /// Tables that could not be built, where saves build them.
    private var refused: [String: any Error] = [:]

    init(_ store: Store, _ kinds: [DerivedKeeper.Type]) {
        self.store = store
        byClass = Array(repeating: nil, count: 256)
        for kind in kinds { _ = add(kind) }
    }

    /// Adds what keeps the tables of a kind.
    func add<Keeper: DerivedKeeper>(_ type: Keeper.Type) -> Keeper {
        let keeper = type.init(self, in: store)
        keepers.append(keeper)
        store.annexes.append((ObjectIdentifier(type), keeper))
        return keeper
    }

    /// The tables of `storedClass`, with what the catalog says as of the store's basis; `nil` if it has none.
    func tables(of storedClass: StoredClass) throws -> ClassTables? {
        guard let found = byClass[Int(storedClass.number)] else { return nil }
        try look()
        return found
    }

    /// All classes with tables.
    func allTables() throws -> [ClassTables] {
        try look()
        return present
    }

    /// What is kept of a class, whether it has tables or not.
    func makeTables(of storedClass: StoredClass) -> ClassTables {
        let number = Int(storedClass.number)
        if let found = byClass[number] { return found }
        let made = ClassTables(storedClass, store)
        byClass[number] = made
        present = byClass.compactMap { $0 }
        catalog.forget()
        // From now on commits tell it of the class's records.
        store.noteFollowed()
        return made
    }

    /// - Throws: ``StoreError/badIndex(class:index:reason:)``
    func add(_ table: DerivedTable, to tables: ClassTables) throws(StoreError) {
        try tables.checkName(of: table)
        _ = tables.add(table)
        // The catalog may have an entry of it.
        catalog.forget()
        store.noteFollowed()
    }

    /// Reads what the catalog says as of the store's basis.
    func look() throws {
        if try catalog.isCurrent(in: store) { return }
        try catalog.read(in: store) { reader in
            let definitions = try reader.tables()
            SchedulePoint.catalog.pass()
            for tables in present {
                tables.note(
                    try reader.derivedEntries(ofClass: tables.storedClass.number), definitions)
            }
        }
    }

    /// Learns of all that is registered, and of what the catalog says as of the store's basis.
    func prepareToBuild() throws {
        try store.prepareParticipants()
        catalog.forget()
        try look()
    }

    // MARK: Taking part in commits

    func follows(_ storedClass: StoredClass) -> Bool { byClass[Int(storedClass.number)] != nil }

    /// What the program does not know of a class with no tables of its own is left behind, for which no record
    /// need be read.
    func compares(_ storedClass: StoredClass) -> Bool {
        byClass[Int(storedClass.number)]?.all.isEmpty == false
    }

    func begin(_ commit: Commit) throws {
        for tables in present { tables.isPrepared = false }
        if !store.isIsolated { try buildAtOnce() }
        for keeper in keepers { try keeper.begin(commit) }
    }

    /// An engine that keeps no commits apart can only build all at once, before a save.
    private func buildAtOnce() throws {
        let isMissing = try allTables().contains {
            try $0.all.contains { try lacksRecords($0) && refused[$0.workName] == nil }
        }
        guard isMissing else { return }
        let upkeep = UpkeepTask()
        do { try TableBuilder(self, upkeep).run() } catch let error as StoreError {
            store.log(.warning, "\(error)")
        }
        refused.merge(upkeep.refused) { $1 }
    }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        guard let tables = byClass[Int(event.storedClass.number)] else { return }
        if !tables.isPrepared { try prepare(tables, for: commit) }
        let row = event.object.rowID
        if event.kind != .deleted { tables.written.take(event.object) }
        if event.kind == .inserted {
            for table in tables.all {
                try table.enter(row, from: nil, to: tables.written, in: commit)
            }
            return
        }
        let isThere: Bool
        do {
            isThere = try tables.take(event.former, at: row)
        } catch  where Self.isUnreadable(error) {
            for table in tables.all { try enterUnreadable(row, table, error, in: commit) }
            return
        }
        if !isThere, event.kind == .deleted { return }
        var damage: (any Error)?
        for table in tables.all {
            do {
                try table.enter(
                    row, from: isThere ? tables.replaced : nil,
                    to: event.kind == .deleted ? nil : tables.written, in: commit)
            } catch  where Self.isUnreadable(error) {
                try enterUnreadable(row, table, error, in: commit)
                if error is StoreError { damage = error }
            }
        }
        guard let damage else { return }
        // What else such a record says may be wrong, too.
        for table in tables.all where table.takesPart && !table.standsByDamaged {
            try giveUp(table, damage, in: commit)
        }
    }

    /// Of the record that a commit replaces, a table cannot know its entries.
    private func enterUnreadable(
        _ row: RowID, _ table: DerivedTable, _ error: any Error, in commit: Commit
    ) throws {
        guard table.takesPart, try !table.enterUnreadable(row, error, in: commit) else { return }
        try giveUp(table, error, in: commit)
    }

    private func giveUp(
        _ table: DerivedTable, _ error: any Error, in commit: Commit
    ) throws {
        store.log(.warning, "The index \(table.fullName) must be made anew: \(error)")
        table.takesPart = false
        try change(table, in: commit) { ($0.state, $0.since) = (.behind, 0) }
    }

    /// Whether `error` says that a record cannot be read.
    static func isUnreadable(_ error: any Error) -> Bool {
        switch error {
        case BackendError.corrupt: true
        case StoreError.cannotRead, StoreError.refusedByClass, StoreError.newerVersion,
            StoreError.unknownLayout, StoreError.fieldChanged, StoreError.handWrittenRecord,
            StoreError.rowGone:
            true
        default: false
        }
    }

    /// Has a commit say something else of a table in the catalog.
    func change(
        _ table: DerivedTable, in commit: Commit, _ body: (inout DerivedEntry) -> Void
    ) throws {
        guard let tables = byClass[Int(table.storedClass.number)] else { return }
        var entries = tables.entriesOfCommit ?? tables.entries
        guard var entry = entries[table.kind, table.name] else { return }
        try commit.batch.letGoOfChanges(for: entry)
        body(&entry)
        entries[table.kind, table.name] = entry
        tables.entriesOfCommit = entries
        try entries.put(ofClass: tables.storedClass.number, in: commit.batch)
    }

    func join(_ commit: Commit) throws {
        for tables in present where tables.isPrepared {
            for table in tables.all where table.takesPart { try table.join(commit) }
        }
        for keeper in keepers { try keeper.join(commit) }
    }

    func didEnd(committed number: CommitNumber?) {
        for tables in present where tables.isPrepared {
            tables.endCommit(committed: number != nil)
        }
        if let number { catalog.noteCommit(number) } else { catalog.forget() }
        for keeper in keepers { keeper.didEnd(committed: number) }
        if number != nil, asksForWork {
            asksForWork = false
            store.beginMoreWork()
        }
    }

    func forgetWhatIsSaved() { catalog.forget() }

    // MARK: Entries of the catalog

    /// Finds out which tables take part in the commit, and defines those of a class that has no records yet.
    /// - Throws: ``StoreError/indexLeftOut(class:index:)``.
    private func prepare(_ tables: ClassTables, for commit: Commit) throws {
        try look()
        tables.isPrepared = true
        if tables.areInForce {
            for table in tables.all { (table.takesPart, table.isNew) = (true, false) }
            requireUnchanged(tables.storedClass, in: commit)
        } else {
            try chooseParticipants(tables, for: commit)
        }
        for table in tables.all { try table.prepare(for: commit) }
    }

    private func chooseParticipants(_ tables: ClassTables, for commit: Commit) throws {
        let storedClass = tables.storedClass
        var entries = tables.entries
        entries.isUnreadable = false
        let isEmpty =
            try entries.all.isEmpty || tables.all.contains { !$0.isKnown }
            ? store.isEmpty(storedClass, in: commit) : false
        let mayBeComplete = isEmpty && !store.isCommittedToUnawares
        for table in tables.all {
            table.isNew = false
            if let entry = table.entry, table.isAsDefined {
                table.takesPart = entry.state.takesPart
            } else if !table.isKnown, mayBeComplete {
                let entry = table.newEntry(.complete)
                table.table = try store.defineTable(of: entry, in: commit.batch)
                table.takesPart = true
                table.isNew = true
                entries[entry.kind, entry.name] = entry
            } else {
                table.takesPart = false
                if !table.isAskedFor { asksForWork = store.isIsolated }
                table.isAskedFor = true
            }
        }
        if !GuardedStep.leftBehind.isLeftOut {
            for entry in tables.neglected {
                try keepChanges(for: entry, in: commit.batch)
                entries.leaveBehind(entry, at: store.basis)
            }
        }
        if let leftOut = tables.leftOut(by: entries) {
            throw StoreError.indexLeftOut(class: storedClass.name, index: leftOut.name)
        }
        guard entries != tables.entries || isEmpty else {
            return requireUnchanged(storedClass, in: commit)
        }
        // The first records of a class conflict with a commit that takes it for empty.
        tables.entriesOfCommit = entries
        try entries.put(ofClass: storedClass.number, in: commit.batch)
    }

    private func requireUnchanged(_ storedClass: StoredClass, in commit: Commit) {
        // While a store is alone, none can change them, but one that is just being opened: the commit then
        // requires that it has committed nothing.
        guard store.isIsolated, store.frozen != nil || store.slot.isShared,
            !GuardedStep.unchangedEntries.isLeftOut
        else { return }
        DerivedEntries.requireUnchanged(ofClass: storedClass.number, in: commit.batch)
    }
}
