import CabinetBackend

/// What objects and buffers know of their store. ``Store`` fulfils it.
///
/// Not `Sendable`: it belongs to its isolation domain.
public class ObjectContext {
    /// By number, where a class is registered.
    @exclusivity(unchecked) final var classesByNumber = [StoredClass?](repeating: nil, count: 256)
    @exclusivity(unchecked) final var classes: [StoredClass] = []
    final var classesByType = TypeTable<StoredClass>()
    /// Names of the backend's classes that the program has not registered: for messages.
    final var unregisteredNames: [UInt8: String] = [:]

    /// The buffer of the last image that was written or read, for the next one.
    @exclusivity(unchecked) private final var spareImageBuffer: ImageBuffer?

    final let observed = ObservedObjects()

    /// Changes of lists from their other sides.
    final let lists = ListsAway()
    final let referenceTrust = ReferenceTrust()
    /// What is read of a remote engine before it is asked for; `nil` over others.
    final var readAhead: ReadAhead?

    @exclusivity(unchecked) private final var lastType: ObjectIdentifier?
    // Not `unowned(unsafe)`, which counts references each time it is read.
    @exclusivity(unchecked) private final var lastClass: Unmanaged<StoredClass>?

    init() {}

    /// The number of the store in IDs of its objects; 0 while it has none that lasts.
    var storeNumber: UInt64 { 0 }

    /// The same for as long as the store is open, also if it has no lasting number yet.
    @exclusivity(unchecked) final var sessionNumber: UInt64 = 0

    /// Whether a class that is registered overrides `validate()`.
    @exclusivity(unchecked) final var hasValidation = false

    /// Whether relationships that are read have what records have, gone targets too, as keys of
    /// indexes need it.
    @exclusivity(unchecked) private(set) final var readsAsWritten = false

    /// Calls `body` with ``readsAsWritten``.
    final func readingAsWritten<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = readsAsWritten
        readsAsWritten = true
        defer { readsAsWritten = outer }
        return try body()
    }

    /// Whether references to what is gone are read and written like others, also those that a class reads and
    /// writes itself.
    @exclusivity(unchecked) private(set) final var keepsGone = false

    /// Calls `body`, which makes copies of records as they are written.
    final func keepingGone<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = keepsGone
        keepsGone = true
        defer { keepsGone = outer }
        return try body()
    }

    /// Whether there is a record of a row as of what the store reads. `true` if that cannot be told.
    func hasRecord(_ row: RowID, of storedClass: StoredClass) -> Bool { true }

    /// An empty buffer for an image, which nothing else uses until it is given back.
    final func takeImageBuffer() -> ImageBuffer {
        if let spare = spareImageBuffer {
            spareImageBuffer = nil
            return spare
        }
        let new: ImageBuffer = (DataBuffer(), ImageReferences())
        new.bytes.mode = new.references
        return new
    }

    /// Keeps `buffer` for the next image, unless it has become large.
    final func keepImageBuffer(_ buffer: ImageBuffer) {
        guard buffer.bytes.count <= 4096 else { return }
        buffer.bytes.removeAll()
        buffer.references.objects = []
        spareImageBuffer = buffer
    }

    /// The bytes of an image, and what else it is written to.
    typealias ImageBuffer = (bytes: DataBuffer, references: ImageReferences)

    func fetch(_ object: StoredObject) {}

    /// The value of a field was touched for the first time, and could not be decoded.
    func noteUndecodable(_ object: StoredObject, _ error: any Error) {}

    /// A property of the object is read, which may be a fault.
    func noteRead(_ object: StoredObject, at property: ObservedProperty) {}

    /// A property of the object, which is observed, is about to change.
    func tellObservers(_ object: StoredObject, at property: ObservedProperty) {}

    func noteChange(of object: StoredObject) {}

    /// `relation`, a list, is about to change, and nothing else. Perhaps nothing changes.
    func noteListChange(
        of object: StoredObject, _ relation: RelationCoder, byEdit isEdit: Bool
    ) {}

    // MARK: Calls of the delegate

    @exclusivity(unchecked) final var hasDelegate = false
    /// Whether the delegate was called before a change, and not yet after it.
    @exclusivity(unchecked) final var isChangeAnnounced = false
    @exclusivity(unchecked) final var changesUnderWay = 0

    /// Begins a change: the delegate is called once afterwards, when the outermost one ends.
    @inline(__always)
    final func beginChange() { changesUnderWay &+= 1 }

    @inline(__always)
    final func endChange() {
        if changesUnderWay > 0 { changesUnderWay &-= 1 }
        if isChangeAnnounced, changesUnderWay == 0 { tellOfChange() }
    }

    /// A change was announced whose end is not reported. In a step, the step's end replaces it.
    @inline(__always)
    final func dropChange() { if changesUnderWay == 0 { isChangeAnnounced = false } }

    func tellOfChange() {}

    /// Begins a step for an edit and what follows. `false`: the caller has none to end.
    func beginStep() -> Bool { false }
    func endStep() {}

    /// Whether relationships were edited and nothing followed from it yet.
    @exclusivity(unchecked) final var hasUnreconciledEdits = false

    /// What stands in `relation` of `object`, a relationship to one, has become `new`.
    func didRelate(
        _ object: StoredObject, _ relation: RelationCoder, from old: StoredObject?,
        to new: StoredObject?
    ) {}

    /// Takes in an object that an object of the store refers to.
    func takeInRelated(_ object: StoredObject) {}

    /// The objects in `relation` are about to change. `false`: an earlier edit waits already.
    func beginEdit(of relation: ManyCoder, in object: StoredObject) -> Bool { false }

    /// The first edit of `relation` since reconciling has ended. `false`: it changed nothing.
    func endFirstEdit(of relation: ManyCoder, in object: StoredObject) -> Bool { true }

    /// A further edit of `relation` has ended, whose list was as `former` says.
    func endFurtherEdit(
        of relation: ManyCoder, in object: StoredObject, from former: ListMark
    ) {}

    /// Puts into relationships of `object`, which was just read, what its record could not know.
    func complete(_ object: StoredObject, _ unkept: [UnkeptRelation]) throws {}

    /// Runs `body`, by which the class of `object`, which is being read, upgrades an old record: it
    /// may insert and change other objects.
    func upgrade(_ object: StoredObject, _ body: () throws -> Void) throws { try body() }

    func reconcile() {}

    /// Does what follows from edits that must come before an edit of `relation` of `object`.
    func reconcile(beforeEditing relation: RelationCoder, of object: StoredObject) {}

    /// Reconciles if `relation` was edited and objects that this changes are observed.
    func reconcileForObservers(of relation: RelationCoder) {}

    /// The declared fields of an object that is in no store.
    func fields(of object: StoredObject) -> FieldTable? {
        storedClass(of: type(of: object))?.fields
    }

    @inline(__always)
    final func storedClass(of type: StoredObject.Type) -> StoredClass? {
        let key = ObjectIdentifier(type)
        if key == lastType { return lastClass?.takeUnretainedValue() }
        return findClass(key)
    }

    /// Calls `body` with the class of `type`, without counting references, if it was asked for
    /// last; else `nil`.
    @inline(__always)
    final func withLastClass<Result>(
        _ type: StoredObject.Type, _ body: (StoredClass) -> Result
    ) -> Result? {
        guard ObjectIdentifier(type) == lastType else { return nil }
        return lastClass?._withUnsafeGuaranteedRef(body)
    }

    private final func findClass(_ key: ObjectIdentifier) -> StoredClass? {
        guard let found = classesByType[key] else { return nil }
        lastType = key
        lastClass = .passUnretained(found)
        return found
    }

    /// The class that `type` is registered as.
    /// - Throws: ``StoreError/classNotRegistered(_:)``
    @inline(__always)
    final func registered(_ type: StoredObject.Type) throws(StoreError) -> StoredClass {
        guard let found = storedClass(of: type) else {
            throw .classNotRegistered(type.storageName)
        }
        return found
    }

    /// - Throws: ``StoreError/classNotRegistered(_:)``, with the name if the store knows it.
    final func registered(number: UInt8) throws(StoreError) -> StoredClass {
        guard let found = classesByNumber[Int(number)] else {
            throw .classNotRegistered(unregisteredNames[number] ?? "number \(number)")
        }
        return found
    }
}

extension ObjectContext {
    /// Appends the content of `object`, which may be in no store.
    final func writeContent(of object: StoredObject, to buffer: DataBuffer) {
        if let storedClass = storedClass(of: type(of: object)) {
            storedClass.write(object, to: buffer)
        } else {
            object.writeContent(to: buffer)
        }
    }

    final func readContent(of object: StoredObject, from buffer: DataBuffer) throws {
        if let storedClass = storedClass(of: type(of: object)) {
            try storedClass.read(into: object, from: buffer)
        } else {
            try object.readContent(from: buffer)
        }
    }
}
