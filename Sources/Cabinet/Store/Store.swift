import CabinetBackend

/// A graph of objects, kept in a backend: a directory, or memory.
///
/// ```swift
/// let store = try Store(directory: url, classes: [Song.self, Playlist.self])
/// let song = Song()
/// song.title = "Echoes"
/// store.insert(song)
/// try store.save()
/// ```
///
/// A store and its objects belong to one isolation domain, the main actor or an actor of your own:
/// not `Sendable`. Changes stay in memory until ``save()``, which makes all of them or none. A
/// store that goes away unsaved drops them; its objects live on as plain ones.
public final class Store: ObjectContext {
    /// Where records are kept.
    public let backend: any Backend
    /// Buffers under names, part of the same saves.
    public var namedBuffers: NamedBuffers { NamedBuffers(self) }
    /// The migrations that the program declared when it opened the store, in their order.
    let migrations: [Migration]
    /// Called before and after changes. Not retained.
    public weak var delegate: (any StoreDelegate)? {
        didSet { noteWhoHearsEdits() }
    }

    let changes = ChangeSet()
    let pendingNames = PendingNames()
    let codec: RecordCodec
    let log: LogSink
    /// Whether the catalog says how records carry their version yet.
    @exclusivity(unchecked) var isVersioningRecorded: Bool
    /// Whether another process may have begun to track referrers since that was looked at.
    @exclusivity(unchecked) var mayNeglectReferrers = false
    /// Whether a save of the caller's domain has changed anything.
    @exclusivity(unchecked) var hasSaved = false
    /// Whether the next save must check for migrations first.
    @exclusivity(unchecked) var awaitsMigrations: Bool
    /// The table of referrers, if any class tracks its referrers.
    @exclusivity(unchecked) var referrerTable: ReferrerTable?
    @exclusivity(unchecked) var participants: [any CommitParticipant] = []
    let hub: CommitHub
    /// Who makes the store's commits, and notes; `nil` until there is something to say.
    @exclusivity(unchecked) var attribution: Attribution?
    let slot: BasisSlot
    /// What later folders add.
    let parts: [any StorePart]
    /// What the store reads from once another store may commit; `nil` while it is alone.
    @exclusivity(unchecked) var frozen: (any BackendReader)?
    /// Whether the engine keeps the store from seeing the commits of others.
    let isIsolated: Bool
    /// Whether the store stays at the commit that it was opened at, and cannot save.
    let isSnapshot: Bool
    /// The commit that reads are of.
    @exclusivity(unchecked) public internal(set) var basis: CommitNumber = 0
    /// Pending objects that others have changed or deleted since: see ``ConflictingRow``.
    @exclusivity(unchecked) var conflicting: [UInt64: ConflictingRow] = [:]
    @exclusivity(unchecked) var validated: ValidatedOwners?
    /// The save that another thread commits just now.
    @exclusivity(unchecked) var backgroundSave: BackgroundSave?
    /// Likewise named buffers.
    @exclusivity(unchecked) var conflictingNames = NameConflicts()
    /// As the hub was when ``participants`` were made.
    @exclusivity(unchecked) var hubGeneration = -1
    var knownRegistrations: [String] = []
    /// What the record that is being written refers to: one after another, without a block each.
    let commitReferences = WrittenReferences()
    let noReferences = WrittenReferences()
    @exclusivity(unchecked) var watchers: ChangeWatchers?
    /// What saves call before they write; `nil` if no class declares any.
    @exclusivity(unchecked) var beforeTriggers: BeforeTriggers?
    /// What the commit that is being made replaces; made when a participant compares records.
    @exclusivity(unchecked) private var knownRecords: SavedRecords?
    @exclusivity(unchecked) var comparesRecords = false
    /// Why an object could not be inserted; every save throws it until a rollback.
    @exclusivity(unchecked) var refusal: (any Error)?
    /// Edits of relationships that nothing has followed from yet.
    @exclusivity(unchecked) var unreconciled: [UnreconciledEdit] = []
    /// Whether some of them must not be overtaken: those of inserted objects, or put off.
    @exclusivity(unchecked) var hasUrgentEdits = false
    /// Whether edits are among them that have only put objects at the end of lists.
    @exclusivity(unchecked) var hasAppends = false
    @exclusivity(unchecked) var lastEdit: UInt32 = 0
    /// What the last edit held of its list, empty: every edit needs one.
    @exclusivity(unchecked) var spareStart: EditStart?
    @exclusivity(unchecked) var enumerations = 0
    /// How often pending changes were dropped, all or those of an object.
    @exclusivity(unchecked) var rollbacks = 0
    /// How many calls are under way that refuse a save or an undo: a save, a call of the delegate.
    @exclusivity(unchecked) var busyCalls = 0
    /// What upgrades that changed other objects have made, by class and row, until a save or a
    /// rollback: reading the record again must not make those changes again.
    @exclusivity(unchecked) var upgradedContents: [UInt64: ContentImage] = [:]
    /// How many objects are being read whose class is upgrading their record.
    @exclusivity(unchecked) var upgrades = 0
    @exclusivity(unchecked) var isClosed = false
    /// Room for the objects that are being inserted.
    @exclusivity(unchecked) var heapGrowth = HeapGrowth()
    /// What later folders keep here, oldest first: there is little, and every query asks for some.
    @exclusivity(unchecked) var annexes: [(key: ObjectIdentifier, annex: AnyObject)] = []
    @exclusivity(unchecked) private var spareBuffers: [DataBuffer] = []
    /// The batch of the last save, if it is small: the next one may take no more.
    @exclusivity(unchecked) var spareBatch: WriteBatch?

    /// - Parameters:
    ///   - reader: what a store that only reads stays at; `nil` for one that may save.
    ///   - classes: what makes the class records.
    ///   - parts: what later folders add to the store.
    ///   - label: where the store was made, as ``StoreContainer/openSnapshots`` tells.
    ///   - isWorker: whether it works for other stores, and does not keep the backend open.
    init(
        backend: any Backend, reader: (any BackendReader)?, classes: some ClassSource,
        migrations: [Migration], versioning: Versioning, log: LogSink,
        parts: [any StorePart], label: String = "Store", isWorker: Bool = false
    ) throws {
        self.backend = backend
        self.parts = parts
        slot = BasisSlot(label, isWorker: isWorker)
        isIsolated = backend.isolatesCommits
        isSnapshot = reader != nil
        frozen = reader
        self.migrations = migrations
        awaitsMigrations = !migrations.isEmpty && reader == nil
        self.log = log
        let recorded = try Self.recordedVersioning(in: backend)
        isVersioningRecorded = recorded != nil
        codec = RecordCodec(versioning: recorded ?? versioning)
        hub = CommitHub.of(backend)
        backend.use(RecordColumns())
        if isSnapshot { hub.enter() } else { try hub.enter(slot, over: backend) }
        super.init()
        if backend.isRemote, isIsolated { readAhead = ReadAhead() }
        try noteFirstBasis()
        let number = backend.identity
        sessionNumber = number == 0 ? UInt64.random(in: 1...UInt64.max) : number
        try classes.register(in: self, over: backend)
        if hasValidation { findOwnersToValidate() }
        try Migration.check(migrations, in: self)
        if codec.versioning == .perClass, !isSnapshot {
            for case let storedClass? in classesByNumber where storedClass.layouts != nil {
                throw StoreError.cannotStore(
                    class: storedClass.name, field: "",
                    reason: "the store's records have no version bytes, so its classes must write "
                        + "them by hand")
            }
        }
        registerReferrers()
        for part in parts { try part.setUp(in: self) }
        try prepareParticipants()
        try noteNeglectedReferrers()
        if !isWorker { try beginWork() }
    }

    deinit {
        if !isClosed { tellOfUnsaved() }
        releaseObjects()
        if !isClosed { _ = leaveHub() }
    }

    func leaveHub() -> Bool { isSnapshot ? hub.leave() : hub.leave(slot) }

    /// Whether the next save has anything to do.
    public var hasChanges: Bool { changes.pendingCount > 0 || !pendingNames.isEmpty }

    /// Whether a step or a call is under way that must end before a save, an undo or a rollback.
    var isBusyWithStep: Bool { busyCalls > 0 || !changes.openLogs.isEmpty }

    // MARK: Shared pieces

    /// What the commit that is being made replaces.
    @inline(__always)
    var savedRecords: SavedRecords {
        if let knownRecords { return knownRecords }
        let made = SavedRecords(self)
        knownRecords = made
        return made
    }

    /// Calls `body` with a buffer that no other code uses meanwhile.
    @inline(__always)
    func withBuffer<Result>(_ body: (DataBuffer) throws -> Result) rethrows -> Result {
        let buffer = spareBuffers.popLast() ?? DataBuffer()
        defer {
            buffer.removeAll()
            spareBuffers.append(buffer)
        }
        return try body(buffer)
    }

    func takeBatch() -> WriteBatch {
        defer { spareBatch = nil }
        return spareBatch ?? backend.makeBatch()
    }

    /// Keeps a batch that was committed for the next save, unless it takes more than 64 KiB.
    func keep(_ batch: WriteBatch) {
        guard !isClosed, batch.stagedChunks == 0, batch.chunkSize <= 64 << 10 else { return }
        batch.removeAll()
        spareBatch = batch
    }

    // MARK: Objects' own calls

    override var storeNumber: UInt64 { backend.identity }
    override func fetch(_ object: StoredObject) { fetchContent(of: object) }
    override func hasRecord(_ row: RowID, of storedClass: StoredClass) -> Bool {
        isRowThere(row, of: storedClass)
    }
    override func noteUndecodable(_ object: StoredObject, _ error: any Error) {
        keepUndecodable(object, error)
    }
    override func noteRead(_ object: StoredObject, at place: ObservedProperty) {
        noteReading(of: object, at: place)
    }
    override func tellObservers(_ object: StoredObject, at place: ObservedProperty) {
        tellObservers(of: object, at: place)
    }
    override func noteChange(of object: StoredObject) { noteUpdate(of: object) }
    override func beginStep() -> Bool { beginEditStep() }
    override func endStep() { endEditStep() }
    override func takeInRelated(_ object: StoredObject) { insertAlone(object) }
    override func reconcile() { reconcileEdits() }
    override func reconcile(beforeEditing relation: RelationCoder, of object: StoredObject) {
        reconcileEdits(before: relation, of: object)
    }
    override func reconcileForObservers(of relation: RelationCoder) {
        if hasUnreconciledEdits, observed.count > 0 { reconcileObserved([relation]) }
    }
    override func complete(_ object: StoredObject, _ unkept: [UnkeptRelation]) throws {
        try completeRelations(of: object, unkept)
    }
    override func upgrade(_ object: StoredObject, _ body: () throws -> Void) throws {
        try runUpgrade(of: object, body)
    }
    override func didRelate(
        _ object: StoredObject, _ relation: RelationCoder, from old: StoredObject?,
        to new: StoredObject?
    ) {
        didChangeRelation(relation, of: object, from: old, to: new)
    }
    override func noteListChange(
        of object: StoredObject, _ relation: RelationCoder, byEdit isEdit: Bool
    ) {
        if hasDelegate || object.state.contains(.observed) {
            noteListUpdate(of: object, relation, byEdit: isEdit)
        } else if !object.state.isDisjoint(with: .needsStore) {
            noteUpdate(of: object, in: isEdit ? .listEdit : .list)
        }
    }
    override func tellOfChange() {
        isChangeAnnounced = false
        tellDelegate { $0.storeDidChange(self) }
        watchers?.noteEdit()
    }
    override func beginEdit(of relation: ManyCoder, in object: StoredObject) -> Bool {
        beginListEdit(of: relation, in: object)
    }
    override func endFirstEdit(of relation: ManyCoder, in object: StoredObject) -> Bool {
        endListEdit(of: relation, in: object)
    }
    override func endFurtherEdit(
        of relation: ManyCoder, in object: StoredObject, from former: ListMark
    ) {
        endListEdit(of: relation, in: object, from: former)
    }
}
