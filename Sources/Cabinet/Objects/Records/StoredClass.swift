import CabinetBackend

/// One registered class in one store: its table, its objects, what is pending for it.
@usableFromInline
final class StoredClass {
    let type: StoredObject.Type
    let name: String
    let version: UInt8
    /// Whether the store keeps the objects' referrers, for the class or a delete rule.
    @exclusivity(unchecked) var tracksReferrers: Bool
    /// Whether a participant follows the class: a save passes it each record that is written.
    @exclusivity(unchecked) private(set) var isFollowed = false
    /// Whether the table of referrers is its only follower.
    @exclusivity(unchecked) var isFollowedByTable = false
    /// Whether a follower asks what the records refer to.
    @exclusivity(unchecked) var countsReferences = false
    /// Whether a follower compares what is written with what is replaced.
    @exclusivity(unchecked) var isCompared = false
    /// Whether something watches what becomes of the objects.
    @exclusivity(unchecked) private(set) var isWatched = false
    /// The followers, by index among the store's participants.
    @exclusivity(unchecked) private(set) var followers: [Int] = []
    /// Those of them that ask for new records, too.
    @exclusivity(unchecked) private(set) var followersOfNew: [Int] = []
    /// Whether there are none, and nothing watches: of new records ``hasWrittenNew`` is all that is asked.
    @exclusivity(unchecked) private(set) var passesOverNew = false
    /// Whether a commit has written a new record of the followed class; who asks, resets it.
    @exclusivity(unchecked) var hasWrittenNew = false

    func setFollowers(_ followers: [Int], ofNew: [Int], isWatched: Bool) {
        (self.followers, followersOfNew, self.isWatched) = (followers, ofNew, isWatched)
        isFollowed = isWatched || !followers.isEmpty
        passesOverNew = isFollowed && !isWatched && ofNew.isEmpty
    }
    /// Whether the class, or a superclass between it and ``StoredObject``, overrides `validate()`.
    let validates: Bool
    /// Relationships to owners that are validated with the objects: with an inverse whose rule
    /// deletes these, if owners validate themselves or have such owners.
    @exclusivity(unchecked) var ownersToValidate: [RelationCoder] = []
    /// Whether deleting an object of the class may delete others, its parts.
    let hasParts: Bool
    /// Whether some relationship forgets objects of the class when they are deleted.
    var isNullified = false
    let fields: FieldTable
    /// The store owns its classes, so it is there as long as they are.
    var context: ObjectContext { contextReference.takeUnretainedValue() }
    private let contextReference: Unmanaged<ObjectContext>

    /// Stands for the class in references of any class.
    let number: UInt8
    let table: TableNumber
    /// The table as the backend knows it; `nil` before the first save of the class.
    @exclusivity(unchecked) private(set) var definition: TableDefinition?
    @exclusivity(unchecked) private var isDefined = false
    /// What a new table says.
    private let newFlags: TableFlags
    /// How its records were ever written; `nil` for a class that always wrote them by hand.
    @exclusivity(unchecked) var layouts: RecordLayouts? {
        didSet { layoutsReference = layouts.map(Unmanaged.passUnretained) }
    }
    /// ``layouts``, for what reads each record, which would count references otherwise.
    @exclusivity(unchecked) private(set) var layoutsReference: Unmanaged<RecordLayouts>?

    /// Rows whose record is known to be gone.
    @exclusivity(unchecked) var goneRows = RowSet()
    /// Those of them that never had a record.
    @exclusivity(unchecked) private var neverSavedRows = RowSet()
    /// What is known of loose references to and from the class's objects.
    @exclusivity(unchecked) let loose = LooseReferences()
    @exclusivity(unchecked) var pendingInserts = 0
    @exclusivity(unchecked) var pendingDeletes = 0
    /// Whether unreconciled edits may change relationships of the class, lists are away, or may
    /// hold what is gone.
    @exclusivity(unchecked) @usableFromInline var awaitsEdits = false
    /// How many relationships have unreconciled edits that may change the class's objects.
    @exclusivity(unchecked) var unreconciledRelations = 0 { didSet { noteAwaited() } }
    /// How many lists of the class's objects are away from their fields.
    @exclusivity(unchecked) var listsAway = 0 { didSet { noteAwaited() } }
    /// Whether loose relationships to many of the class's objects may hold deleted objects.
    @exclusivity(unchecked) var mayHoldGone = false { didSet { noteAwaited() } }
    /// Whether the class's objects report reads, as they may be observed.
    @exclusivity(unchecked) var reportsReads = false
    @exclusivity(unchecked) var fetchErrors: [RowID: any Error] = [:]
    /// Bytes of fields that are kept beside objects, by row.
    @exclusivity(unchecked) var kept: [RowID: KeptValue] = [:]
    @exclusivity(unchecked) var reads = ReadCounts()
    /// Rows taken from the backend, 256 at a time, and not given to an object yet. The backend
    /// gives out again those that no save used, once the store was opened again.
    @exclusivity(unchecked) var reservedCount: UInt32 = 0
    @exclusivity(unchecked) var firstReserved: RowID = 0

    /// Whether objects of the class may hold others; not known before the first one is freed.
    @exclusivity(unchecked) var mayHoldObjects = true
    /// Where they hold them; `nil` before the first one is freed.
    @exclusivity(unchecked) var heldReferences: HeldReferences?

    /// Whether the store has closed or gone: then `context` must not be asked for.
    @exclusivity(unchecked) private(set) var isReleased = false

    // Unchecked: no access lasts beyond one call of the table, which calls no other code.
    @exclusivity(unchecked) private var uniquing = UniquingTable()

    init(
        _ type: StoredObject.Type, name: String, number: UInt8, table: TableNumber,
        definition: TableDefinition?, newFlags: TableFlags = [], fields: FieldTable,
        context: ObjectContext
    ) {
        self.type = type
        self.fields = fields
        self.name = name
        self.number = number
        self.table = table
        self.definition = definition
        self.newFlags = newFlags
        contextReference = .passUnretained(context)
        version = type.version
        tracksReferrers = type.tracksReferrers
        hasParts = fields.relations.contains { $0.rule == .cascade }
        validates = MethodOverride.validation.exists(in: type)
        if validates { context.hasValidation = true }
        isDefined = definition == wantedDefinition
    }

    private func noteAwaited() {
        awaitsEdits = unreconciledRelations + listsAway > 0 || mayHoldGone
    }

    /// Names that the class had, which the catalog does not know yet.
    @exclusivity(unchecked) var unrecordedNames: [String] = []

    /// Whether the next save of the class must define its table, or write down what it writes.
    var needsDefinition: Bool {
        !isDefined || layouts?.isUnsaved == true || layouts?.isCatalogBehind == true
            || !unrecordedNames.isEmpty
    }

    /// The backend knows the table as `definition` now, and what was written down with it.
    func didDefine(_ definition: TableDefinition) {
        noteDefinition(definition)
        layouts?.isUnsaved = false
        layouts?.isCatalogBehind = false
        unrecordedNames = []
    }

    /// Another store has defined the table as `definition`.
    func noteDefinition(_ definition: TableDefinition) {
        self.definition = definition
        isDefined = definition == wantedDefinition
    }

    /// What the table should be defined as: the class's number and highest version.
    var wantedDefinition: TableDefinition {
        TableDefinition(
            number: table, kind: .record, name: name, classNumber: number,
            classVersion: max(version, definition?.classVersion ?? 0),
            flags: definition?.flags ?? newFlags)
    }

    /// Counts no references.
    @inline(__always)
    func withContext<Result>(_ body: (ObjectContext) throws -> Result) rethrows -> Result {
        try contextReference._withUnsafeGuaranteedRef(body)
    }

    var liveObjects: Int { uniquing.count }

    @inline(__always)
    func existing(_ row: RowID) -> StoredObject? { uniquing[row] }

    /// The object of `row`: the one in memory, or a new fault.
    @inline(__always)
    func object(at row: RowID) -> StoredObject { uniquing[row] ?? makeObject(at: row) }

    /// A new object for `row`, whose content was not read. The row has no object yet.
    @inline(__always)
    func makeObject(at row: RowID) -> StoredObject {
        let object = type.init()
        object.state = [.fault, .reportsChange, .saved]
        take(object, at: row)
        return object
    }

    /// A new object for `row`, whose record is gone: a loose relationship leads to it, and reading
    /// that asks one bit of it. The row has no object yet.
    func makeDeletedObject(at row: RowID) -> StoredObject {
        let object = type.init()
        object.state = [.deleted, .buried]
        if !neverSavedRows.contains(row) { object.state.formUnion(.wasSaved) }
        take(object, at: row)
        loose.noteHeldGone()
        return object
    }

    /// The object in `row` is deleted, or turns out to be.
    @inline(__always)
    func noteGone(_ row: RowID) { if loose.isTarget { loose.note(gone: row) } }

    @inline(__always)
    func take(_ object: StoredObject, at row: RowID) {
        object.rowID = row
        object.storedClass = self
        if reportsReads { object.state.formUnion(.reportsReads) }
        uniquing.insert(object, at: row)
    }

    @inline(__always)
    func forget(_ object: StoredObject) {
        if !object.state.isDisjoint(with: [
            .deleted, .unreadable, .observed, .numbered, .keepsBytes,
        ]) {
            forgetTrouble(of: object)
        }
        uniquing.remove(object, at: object.rowID)
    }

    @inline(never)
    private func forgetTrouble(of object: StoredObject) {
        if object.state.contains(.deleted), !object.state.contains(.saved) {
            goneRows.insert(object.rowID)
            if !object.state.contains(.wasSaved) { neverSavedRows.insert(object.rowID) }
        }
        if object.state.contains(.keepsBytes) {
            kept[object.rowID] = nil
            if !fetchErrors.isEmpty { fetchErrors[object.rowID] = nil }
        }
        if object.state.contains(.unreadable) { fetchErrors[object.rowID] = nil }
        if object.state.contains(.observed) { context.observed.forget(object) }
        if object.state.contains(.numbered) { OwnNumbers.forget(object) }
    }

    /// Makes `object` plain again: no row, no store.
    func release(_ object: StoredObject) {
        object.decodeAllKept()
        uniquing.remove(object, at: object.rowID)
        if object.state.contains(.observed) { context.observed.forget(object) }
        Self.makePlain(object)
    }

    /// Makes every object plain again: the store goes. Values stay as they are.
    func releaseAll() {
        for row in Array(kept.keys) { existing(row)?.decodeAllKept() }
        isReleased = true
        if withContext({ $0.observed.count > 0 }) { forEachObject(release) }
        uniquing.removeAll(Self.makePlain)
        fetchErrors = [:]
    }

    @inline(__always)
    private static func makePlain(_ object: StoredObject) {
        object.classReference = nil
        object.rowID = 0
        object.state.formIntersection(.numbered)
    }

    /// Calls `body` with every object in memory. It may take the object out.
    func forEachObject(_ body: (StoredObject) -> Void) {
        var row = 0
        while let found = uniquing.next(from: row) {
            row = found.row + 1
            body(found.object)
        }
    }
}

// MARK: - Content

extension StoredClass {
    /// Whether the class leaves its content to its declared fields.
    @inline(__always)
    var isDeclared: Bool { fields.writesContent }

    /// Whether steps keep what happens to lists of the class's objects apart from their values.
    var keepsListsApart: Bool { isDeclared && fields.hasLists }

    /// Appends the content of `object`, as the program writes it now.
    @inline(__always)
    func write(_ object: StoredObject, to buffer: DataBuffer) {
        if isDeclared { fields.write(object, to: buffer) } else { object.writeContent(to: buffer) }
    }

    @inline(__always)
    func read(into object: StoredObject, from buffer: DataBuffer) throws {
        if isDeclared {
            try fields.read(into: object, from: buffer)
        } else {
            try object.readContent(from: buffer)
        }
    }
}
