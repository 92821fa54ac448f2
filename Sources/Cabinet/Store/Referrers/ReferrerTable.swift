import CabinetBackend

/// The table of referrers: keeps the owners that refer to objects of the classes that track their
/// referrers, in the same saves as the references.
///
/// A class that begins to track is entered whole by the next save, which reads all objects once.
///
/// What the catalog says of the table has the form of derived tables (`DerivedEntry`, under `derived`), and it shares
/// commits beside saves, states and upkeep with them. But it is one table of the store, not one a class: an owner of
/// many classes' objects is compared with what the table has of it in one walk, and one block says all that it refers
/// to; a table a target's class would cost a save a walk and a block for each tracked class. Nor do saves read the
/// record that they replace for it. So it has a participant of its own. A table that was found to be wrong is dropped
/// and said to be behind; the upkeep thread enters all references into a new one, unless a save comes first and does.
final class ReferrerTable: CommitParticipant {
    typealias ClassRow = WrittenReferences.Target

    static let tableName = DerivedEntry.tableOfReferrers

    unowned let store: Store
    private(set) var table: TableNumber?
    private(set) var isDefined = false
    /// Whether its keys may be deleted blindly, which those of a table of an earlier program may not.
    private var isFlagged = false
    /// Whether the batch of the current commit defines the table.
    private var isDefinedByBatch = false
    /// The classes that the table is complete for.
    private var complete: Set<UInt8> = []
    private var completeAfterCommit: Set<UInt8> = []
    /// What the catalog says of it.
    private var entries = DerivedEntries()
    /// Whether the present commit has entered new classes.
    private var hasEntered = false
    /// As of which commit the table and ``complete`` are known.
    private var catalog = CatalogLook()
    /// The owners of the current commit that are not in its batch yet.
    @exclusivity(unchecked) var owners = WrittenOwners()
    /// The unmerged blocks that the current commit writes; `nil` while it writes keys.
    @exclusivity(unchecked) var unmergedWriter: UnmergedWriter?
    /// From so many changed owners on, a commit writes unmerged blocks; tests change it.
    var unmergedLimit = ReferrerTable.usualUnmergedLimit
    /// Whether there are unmerged blocks as of the store's basis; `nil` if that is not known.
    private var hasUnmerged: Bool?
    /// How many commits of the store have written unmerged blocks.
    private(set) var unmergedCommits = 0
    /// The table as of two commits: the store's basis, and what others have saved since.
    private var states: [(commit: CommitNumber, saved: SavedReferrers?)] = []
    /// The targets of new references in the current commit that others must not delete.
    var protected: Set<ClassRow> = []
    /// Whether others have committed since a look at what refers to objects that are to be deleted.
    private(set) var hasUncheckedDeletes = false
    /// What is read of the table: one run for all reads, as each takes 260 KiB.
    private(set) lazy var run = EntryRun()

    init(_ store: Store) throws {
        self.store = store
        try look()
    }

    private func look() throws {
        try catalog.read(in: store) { reader in
            let found = try reader.tables().first { $0.name == Self.tableName }
            table = found?.number ?? table
            isDefined = found != nil
            isFlagged = found?.flags.contains(.derived) ?? false
            entries = try reader.derivedEntries(ofClass: nil)
            complete = isDefined ? entries.trackedClasses : []
        }
    }

    func lookAgain() throws { if try !catalog.isCurrent(in: store) { try look() } }

    /// Whether some class is tracked according to the catalog.
    var isInUse: Bool { !complete.isEmpty }

    /// Whether the table was found to be wrong, and lacks what is to be entered again.
    func isGivenUp() throws -> Bool {
        try lookAgain()
        return entries.referrers?.state == .behind && !completeWithAll.isEmpty
    }

    /// Gives the table up: all references are to be entered again, into a new one.
    func giveUp() throws {
        try lookAgain()
        guard let table, isDefined else { return }
        var entries = entries
        entries.referrers = .referrers(of: complete)
        entries.referrers?.state = .behind
        _ = try store.commitBesideSaves(ofClass: nil, basis: store.basis, entries) {
            try $0.drop(table)
        }
    }

    /// The class and row of all saved objects that refer to `target`; `nil` if the table does not know
    /// them.
    func owners(of target: ClassRow) throws -> [ClassRow]? {
        try owners(of: target, in: store.readerForWalk())
    }

    /// The same as `reader` has it.
    func owners(of target: ClassRow, in reader: any BackendReader) throws -> [ClassRow]? {
        guard let saved = try saved(in: reader), saved.complete.contains(target.classNumber),
            try !saved.unmerged().isDamaged
        else { return nil }
        return try saved.owners(of: target, by: run)
    }

    /// The table as `reader` has it; `nil` if it has none.
    private func saved(in reader: any BackendReader) throws -> SavedReferrers? {
        let commit = try reader.lastCommit()
        if let known = states.first(where: { $0.commit == commit }) { return known.saved }
        let saved = try SavedReferrers(reader)
        if states.count > 1 { states.removeFirst() }
        states.append((commit, saved))
        return saved
    }

    /// Whether there are unmerged blocks as of the store's basis.
    func anyUnmerged() throws -> Bool {
        // That they go is not told: they are entered beside the saves.
        if hasUnmerged == false { return false }
        try lookAgain()
        guard let table, isDefined else { return false }
        let found = try store.reading { reader throws(BackendError) in
            try SavedReferrers.hasUnmerged(in: table, reader)
        }
        hasUnmerged = found
        return found
    }

    // MARK: Taking part in commits

    /// Classes of which no record was ever written that refers to anything are left out.
    func follows(_ storedClass: StoredClass) -> Bool { storedClass.layouts?.mayRefer ?? true }
    var countsReferences: Bool { true }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        // A stand-in's record refers to what the saved one refers to.
        if event.keepsReferences, store.referenceTrust.passesOverKept { return }
        if event.isStandIn || (event.kind == .inserted && event.references.isEmpty) { return }
        let owner = ClassRow(classNumber: event.storedClass.number, row: event.object.rowID)
        owners.append(
            owner, event.references.sorted(), isNew: event.kind == .inserted)
        if owners.isFull { try enterOwners(in: commit.batch) }
    }

    /// Reads all objects if a class has begun to track: what their upgrades change is pending then,
    /// and written by the save.
    func begin(_ commit: Commit) throws {
        try lookAgain()
        unmergedWriter = nil
        if try anyUnmerged(), !store.isIsolated || removesClasses { try enterAllUnmerged() }
        guard commit.isSave else { return }
        try enterNewClasses(in: commit)
        // The table has the references of all owners.
        store.referenceTrust.passesOverKept = isDefined && completeAfterCommit == complete
    }

    func join(_ commit: Commit) throws {
        if !commit.isSave { try enterNewClasses(in: commit) }
        try enterOwners(in: commit.batch)
        try unmergedWriter?.finish(in: commit.batch)
        try requireNoArrivals(in: commit)
    }

    func didEnd(committed number: CommitNumber?) {
        if let number {
            catalog.noteCommit(number)
            isDefined = isDefined || isDefinedByBatch
            isFlagged = isFlagged || isDefinedByBatch
            if complete != completeAfterCommit {
                complete = completeAfterCommit
                entries.referrers = .referrers(of: complete)
            }
            if unmergedWriter != nil {
                hasUnmerged = true
                unmergedCommits += 1
                store.beginUpkeep()
            }
        }
        unmergedWriter = nil
        hasEntered = false
        states = []
        isDefinedByBatch = false
        owners.removeAll()
        if !protected.isEmpty { protected = [] }
        store.referenceTrust.passesOverKept = false
    }

    func forgetWhatIsSaved() {
        catalog.forget()
        hasUnmerged = nil
        states = []
        hasUncheckedDeletes = hasUncheckedDeletes || hasPendingDeletes
    }

    /// The delete rules of what is to be deleted were applied to what others have saved.
    func noteCheckedDeletes() { hasUncheckedDeletes = false }

    func definedTable(in batch: WriteBatch) throws -> TableNumber {
        try lookAgain()
        if let table, isFlagged || isDefinedByBatch { return table }
        // Another store may define it at the same time.
        var definition = try store.backend.claim(
            TableClaim(kind: .ordered, name: Self.tableName, flags: .derived))
        definition.flags.insert(.derived)
        table = definition.number
        try batch.define(definition)
        isDefinedByBatch = true
        return definition.number
    }

    /// The classes that the table is complete for when all of the store's are entered.
    private var completeWithAll: Set<UInt8> {
        let storedClasses = store.classesByNumber.compactMap { $0 }
        let tracking = storedClasses.lazy.filter(\.tracksReferrers).map(\.number)
        return complete.subtracting(storedClasses.map(\.number)).union(tracking)
    }

    /// Whether references of whole classes are to be taken out of the table.
    private var removesClasses: Bool {
        !complete.isSubset(of: completeWithAll)
            || store.participants.contains { ($0 as? MigrationEntries)?.dropsClasses == true }
    }

    /// Enters what the saved objects refer to, if a class has begun to track since; notes which
    /// classes have ceased to.
    func enterNewClasses(in commit: Commit) throws {
        if hasEntered { return }
        hasEntered = true
        completeAfterCommit = completeWithAll
        guard completeAfterCommit != complete else { return }
        if !completeAfterCommit.isSubset(of: complete) {
            // What such a commit refers to would be missing: a later save enters the class.
            if store.isCommittedToUnawares {
                completeAfterCommit = complete
                // That commit may enter it: then this one must say what its owners refer to.
                return DerivedEntries.requireUnchanged(ofClass: nil, in: commit.batch)
            }
            // A save beside this one would not say what its owners refer to in the class.
            commit.batch.requiresLastBasis =
                store.isIsolated && !GuardedStep.lastBasisOfReferrers.isLeftOut
            // What is pending is written by a save, and left alone by an upgrade. Reading an object
            // may make it pending, too.
            try store.forEachSavedObject(pendingToo: !commit.isSave) { object, storedClass in
                if commit.isSave, object.state.isPending { return }
                let owner = ClassRow(classNumber: storedClass.number, row: object.rowID)
                owners.append(owner, store.targets(of: object).sorted(), isNew: !isDefined)
                if owners.isFull { try enterOwners(in: commit.batch) }
            }
        }
        // While a class is not tracked, nothing takes out what its referrers give up.
        for number in complete.subtracting(completeAfterCommit) {
            try Self.removeReferences(
                .byTarget, ofClass: number, of: store.backend, in: commit.batch)
        }
        // An empty table says that no class is tracked any more.
        _ = try definedTable(in: commit.batch)
        var entries = entries
        entries.referrers = .referrers(of: completeAfterCommit)
        try entries.put(ofClass: nil, in: commit.batch)
    }
}
