import CabinetBackend

/// Keeps the indexes of a store's classes: every commit enters what it changes.
///
/// What stands in an index for a record follows from the record alone. So a commit compares the keys of
/// what it writes with those of the records that this replaces.
final class IndexKeeper: CommitParticipant {
    private unowned let store: Store
    /// By class number.
    private var byClass: [ClassIndexes?]
    /// The same by themselves, as every commit goes over them.
    private var present: [ClassIndexes] = []
    private var entered: EnteredKeys
    /// As of which commit ``ClassIndexes/entries`` and the tables of indexes are known.
    private var catalog = CatalogLook()
    /// Indexes that could not be built, where saves build them.
    private var refused: Set<String> = []
    /// Whether there is something to build that no opening has asked for.
    private var asksForWork = false

    init(_ store: Store) {
        self.store = store
        entered = EnteredKeys(store)
        byClass = Array(repeating: nil, count: 256)
    }

    // MARK: Indexes

    /// The indexes of `storedClass`, with what the catalog says as of the store's basis; `nil` if it has
    /// none.
    func indexes(of storedClass: StoredClass) throws -> ClassIndexes? {
        guard let found = byClass[Int(storedClass.number)] else { return nil }
        try look()
        return found
    }

    /// All classes with indexes.
    func allIndexes() throws -> [ClassIndexes] {
        try look()
        return present
    }

    /// What is kept of a class, whether it has indexes or not.
    func makeIndexes(of storedClass: StoredClass) -> ClassIndexes {
        let number = Int(storedClass.number)
        if let found = byClass[number] { return found }
        let made = ClassIndexes(storedClass, store)
        byClass[number] = made
        present = byClass.compactMap { $0 }
        catalog.forget()
        // From now on commits tell it of the class's records.
        store.noteFollowed()
        return made
    }

    /// Reads what the catalog says as of the store's basis.
    private func look() throws {
        if try catalog.isCurrent(in: store) { return }
        try catalog.read(in: store) { reader in
            let tables = try reader.tables()
            SchedulePoint.catalog.pass()
            for indexes in present {
                indexes.note(
                    try reader.indexEntries(ofClass: indexes.storedClass.number), tables)
            }
        }
    }

    /// Learns of all that is registered, and of what the catalog says as of the store's basis.
    func prepareToBuild() throws {
        try store.prepareParticipants()
        catalog.forget()
        try look()
    }

    /// Whether an index is to be built, but for those of `passedOver`.
    func hasWork(passedOver: Set<String> = []) throws -> Bool {
        try allIndexes().contains { indexes in
            try indexes.all.contains { index in
                guard !index.isComplete, !passedOver.contains(index.fullName) else { return false }
                return try index.entry != nil
                    || store.reader.count(of: indexes.storedClass.table) > 0
            }
        }
    }

    // MARK: Taking part in commits

    func follows(_ storedClass: StoredClass) -> Bool { byClass[Int(storedClass.number)] != nil }

    func begin(_ commit: Commit) throws {
        for indexes in present { indexes.isPrepared = false }
        entered.removeAll()
        // An engine that keeps no commits apart can only build all at once.
        if !store.isIsolated, try hasWork(passedOver: refused) {
            let builder = IndexBuilder(store, self, UpkeepProgress())
            do { try builder.run() } catch let error as StoreError {
                store.log(.warning, "\(error)")
            }
            refused.formUnion(builder.refused.keys)
        }
    }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        guard let indexes = byClass[Int(event.storedClass.number)] else { return }
        // The object itself follows.
        if event.isStandIn, commit.isSave { return }
        if !indexes.isPrepared { try prepare(indexes, for: commit) }
        let row = event.object.rowID
        if event.kind != .deleted { indexes.written.take(event.object) }
        if event.kind == .inserted {
            return try entered.enter(
                row, indexes, from: nil, to: indexes.written, in: commit.batch)
        }
        do {
            try event.withSavedRecord(in: store) { record in
                guard let record, try indexes.replaced.take(record, at: row) else {
                    guard event.kind == .updated else { return }
                    return try entered.enter(
                        row, indexes, from: nil, to: indexes.written, in: commit.batch)
                }
                try entered.enter(
                    row, indexes, from: indexes.replaced,
                    to: event.kind == .deleted ? nil : indexes.written, in: commit.batch)
            }
        } catch  where Self.isUnreadable(error) {
            try giveUp(indexes, for: commit, error)
        }
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

    /// A record that a commit replaces cannot be read, so its keys are not known. That must not keep the
    /// store from replacing it: the indexes of its class are to be made anew.
    private func giveUp(
        _ indexes: ClassIndexes, for commit: Commit, _ error: any Error
    ) throws {
        var entries = indexes.entriesOfCommit ?? indexes.entries
        for index in indexes.all where index.takesPart {
            index.takesPart = false
            guard var entry = entries[index.name] else { continue }
            (entry.state, entry.since) = (.behind, 0)
            entries[index.name] = entry
            store.log(.warning, "The index \(index.fullName) must be made anew: \(error)")
        }
        indexes.entriesOfCommit = entries
        try entries.put(ofClass: indexes.storedClass.number, in: commit.batch)
    }

    func join(_ commit: Commit) throws {
        for index in try entered.settle(in: commit) {
            guard let indexes = byClass[Int(index.storedClass.number)] else { continue }
            var entries = indexes.entriesOfCommit ?? indexes.entries
            entries[index.name]?.state = .refused
            indexes.entriesOfCommit = entries
            try entries.put(ofClass: indexes.storedClass.number, in: commit.batch)
        }
    }

    func didEnd(committed number: CommitNumber?) {
        entered.removeAll()
        for indexes in present {
            if number != nil, let entries = indexes.entriesOfCommit { indexes.note(entries) }
            indexes.entriesOfCommit = nil
            indexes.written.leave()
            indexes.replaced.leave()
        }
        guard let number else { return catalog.forget() }
        catalog.noteCommit(number)
        if asksForWork {
            asksForWork = false
            store.beginMoreWork()
        }
    }

    func forgetWhatIsSaved() { catalog.forget() }

    // MARK: Entries

    /// Finds out which indexes take part in the commit, and defines those of a class that has no records
    /// yet.
    /// - Throws: ``StoreError/indexLeftOut(class:index:)``.
    private func prepare(_ indexes: ClassIndexes, for commit: Commit) throws {
        try look()
        indexes.isPrepared = true
        let storedClass = indexes.storedClass
        if indexes.areInForce {
            for index in indexes.all {
                (index.takesPart, index.isNew) = (true, false)
                index.isGuarded = index.index.isUnique && !index.isComplete
            }
            return requireUnchanged(storedClass, in: commit)
        }
        var entries = indexes.entries
        entries.isUnreadable = false
        let isEmpty =
            try entries.all.isEmpty || indexes.all.contains { $0.entry == nil }
            ? store.isEmpty(storedClass, in: commit) : false
        let mayBeComplete = isEmpty && !store.isCommittedToUnawares
        for index in indexes.all {
            index.isNew = false
            if let entry = index.entry, index.isAsDefined {
                index.takesPart = entry.state.takesPart
            } else if index.entry == nil, mayBeComplete {
                let entry = index.freshEntry(.complete)
                index.table = try store.defineTable(of: entry, in: commit.batch)
                index.takesPart = true
                index.isNew = true
                entries[index.name] = entry
            } else {
                index.takesPart = false
                if !index.isAskedFor { asksForWork = store.isIsolated }
                index.isAskedFor = true
            }
            index.isGuarded = index.index.isUnique && !index.isComplete && !index.isNew
        }
        if !GuardedStep.leftBehind.isLeftOut {
            for entry in indexes.neglected { entries.leaveBehind(entry, at: store.basis) }
        }
        if let leftOut = indexes.leftOut(by: entries) {
            throw StoreError.indexLeftOut(class: storedClass.name, index: leftOut.name)
        }
        guard entries != indexes.entries || isEmpty else {
            return requireUnchanged(storedClass, in: commit)
        }
        // The first records of a class conflict with a commit that takes it for empty.
        indexes.entriesOfCommit = entries
        try entries.put(ofClass: storedClass.number, in: commit.batch)
    }

    private func requireUnchanged(_ storedClass: StoredClass, in commit: Commit) {
        // While a store is alone, none can change them, but one that is just being opened: the commit then
        // requires that it has committed nothing.
        guard store.isIsolated, store.frozen != nil || store.slot.isShared,
            !GuardedStep.unchangedIndexes.isLeftOut
        else { return }
        IndexEntries.requireUnchanged(ofClass: storedClass.number, in: commit.batch)
    }
}

extension Store {
    /// Adds the table of an entry to a batch.
    func defineTable(
        of entry: IndexEntry, in batch: WriteBatch
    ) throws(BackendError) -> TableNumber {
        let definition = try backend.claim(
            TableClaim(kind: .ordered, name: entry.table, flags: .derived))
        try batch.define(definition)
        return definition.number
    }
}

extension IndexEntries {
    /// A save of a program that does not know the index changes records.
    mutating func leaveBehind(_ entry: IndexEntry, at basis: CommitNumber) {
        var entry = entry
        switch entry.state {
        case .complete: entry.since = basis
        // What it lacks is not known.
        case .building: entry.since = 0
        default: break
        }
        entry.state = .behind
        self[entry.name] = entry
    }
}
