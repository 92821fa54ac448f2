import CabinetBackend

/// An object that a ``Store`` keeps: subclass it, and declare what it keeps.
///
/// ```swift
/// final class Song: StoredObject {
///     @Field var title = ""
///     @One var album: Album?
/// }
/// ```
///
/// Other stored properties are the object's own business, and are not kept. A class can write its
/// content itself instead: values are in private stored properties, and accessors call
/// ``willRead()`` and ``willChange()``.
///
/// ```swift
/// final class Song: StoredObject {
///     private var storedTitle = ""
///     var title: String {
///         get { willRead(); return storedTitle }
///         set { willChange(); storedTitle = newValue }
///     }
///     override func writeContent(to buffer: DataBuffer) { buffer.writeString(storedTitle) }
///     override func readContent(from buffer: DataBuffer) throws {
///         storedTitle = try buffer.readString()
///     }
/// }
/// ```
///
/// Outside a store it is a plain object. Inside, one object stands for one row, its content is
/// read when first touched, and it lives in its store's isolation domain: not `Sendable`, and
/// `nonisolated` also where a module's classes are the main actor's by default.
/// A subclass's `deinit` must not use the store.
///
/// An object that is freed frees what it alone holds in `@One`, `@Many` and ``ObjectList``, and in
/// variables of its own whose type is an optional or an array of a stored class: one object after
/// the other, so a chain of them takes no stack. Swift frees what an object holds by other means
/// (constants, dictionaries, values or objects of other types that hold the next link) by a call
/// within a call; a chain of some thousands of such links can use up a thread's stack.
nonisolated open class StoredObject {
    @exclusivity(unchecked) @usableFromInline final var state = ObjectState.plain

    /// The row of the object's record; 0 while no store has taken it. Never changes while the
    /// object is in a store, and never goes to another object once saved.
    @exclusivity(unchecked) public final internal(set) var rowID: RowID = 0

    /// The object's class in its store, which clears this on every live object before it goes.
    final var storedClass: StoredClass? {
        get { classReference?.takeUnretainedValue() }
        set { classReference = newValue.map(Unmanaged.passUnretained) }
    }

    /// Calls `body` with the class record, if there is one, without counting references.
    @inline(__always)
    final func withStoredClass(_ body: (StoredClass) throws -> Void) rethrows {
        try classReference?._withUnsafeGuaranteedRef(body)
    }

    // Not `unowned(unsafe)`, which counts references each time it is read.
    @exclusivity(unchecked) @usableFromInline final var classReference: Unmanaged<StoredClass>?

    /// What a store calls before it reads content: leave every property at its initial value.
    ///
    /// Make initialisers of your own `convenience` ones that call this: a class with a designated
    /// one must write this one, too.
    public required init() {
        if DeclarationRecorder.isActive { DeclarationRecorder.finish(self) }
    }

    // The properties of subclasses are still there: Swift frees them after this.
    deinit {
        if let classReference {
            classReference._withUnsafeGuaranteedRef {
                $0.forget(self)
                if $0.mayHoldObjects { $0.releaseReferences(of: self) }
            }
        } else {
            if state.contains(.numbered) { OwnNumbers.forget(self) }
            if !HeldReferences.isKnownEmpty(type(of: self)) { HeldReferences.releaseAll(of: self) }
        }
    }

    // MARK: What a subclass writes

    /// Appends the object's content. Write to the stored properties directly, not through
    /// accessors, and change no other object; inserting one is allowed, and the same save writes
    /// it. Errors are stored in the buffer; `save()` throws them.
    ///
    /// This implementation appends the declared fields, those of the superclass first.
    open func writeContent(to buffer: DataBuffer) { writeFields(to: buffer) }

    /// Reads what ``writeContent(to:)`` wrote, in its order. `buffer.versionOfData` says which
    /// ``version`` of the class wrote it. Set the stored properties directly.
    ///
    /// This implementation reads the declared fields. A class that declares its fields is asked
    /// only for records that an earlier version wrote by hand, and overrides this to read them;
    /// there, this implementation throws. Set the fields that such a record has: the others keep
    /// their initial values, and a relationship that is another one's inverse is filled with the
    /// objects that refer to this one.
    open func readContent(from buffer: DataBuffer) throws { try readFields(from: buffer) }

    /// Called after a record of an earlier layout of the class's fields was read: fields of the
    /// same name were set, widened if need be. Override to set others from the record's old values.
    ///
    /// This may also insert objects and change others, as by `cover = Cover(picture)`. These are
    /// pending then, and so is this object: the next save writes all of them, whatever else it
    /// writes, and the record is not upgraded again. While only the object's own values are set,
    /// nothing is pending, and nothing is rewritten until the object is next saved. It is no step
    /// of undo. If this throws, what it did to other objects is taken back, and the object cannot
    /// be read (`fetchError`).
    ///
    /// Until the record is rewritten this may be called again, also for copies that are in no
    /// store: what it does to other objects is taken back then. <doc:Upgrading> shows an example.
    ///
    /// This implementation throws if no field of the class can take a value of the record
    /// (``StoreError/fieldChanged(class:row:field:from:to:)``). Not called for a layout of the same
    /// ``version`` that was added after that of this program, as by a newer one.
    open func upgrade(from record: RawRecord) throws { try record.refuseUnconverted() }

    /// The version of the content that ``writeContent(to:)`` writes: 1 at first. Raise it by one when that
    /// changes; older records are still handed to ``readContent(from:)``, and are rewritten when next saved.
    ///
    /// Declared fields may change without it: raise it when today's programs must not read what you write. A class
    /// that wrote by hand before keeps its version, or raises it: then programs of that past throw ``StoreError/newerVersion(class:row:found:known:)``.
    open class var version: UInt8 { 1 }

    /// The class's indexes, asked for when a store is opened, which fails for one that cannot be kept. Inherited.
    open class var indexes: [Index] { [] }
    /// The class's lists that the store keeps grouped and sorted, asked for as ``indexes`` are.
    open class var arrangements: [Arrangement] { [] }
    /// The texts of the class's objects that can be searched, asked for as ``indexes`` are.
    open class var textIndexes: [TextIndex] { [] }
    /// The class's triggers, asked for when a store is opened. Inherited.
    open class var triggers: [Trigger] { [] }
    /// Whether commits keep what they replace of the class's objects: see <doc:History>. Inherited.
    open class var keepsHistory: Bool { false }
    /// Whether the class's records are sealed in a store with a key: see <doc:Encryption>. Inherited.
    open class var isEncrypted: Bool { true }
    /// The name of the class's table and file: ASCII letters, digits, `_` and `-`, 1 to 100 bytes,
    /// unique in the store ignoring case. The class's name without its module at first.
    // As `String(describing:)` says it, which takes a millisecond to find that out.
    open class var storageName: String { _typeName(self, qualified: false) }
    /// Names that ``storageName`` had before: a table of such a name is taken over. See <doc:Upgrading>.
    open class var formerStorageNames: [String] { [] }
    /// Whether the store keeps a table of the referrers of this class's objects, in the same save
    /// as the references. With it, `store.referrers(of:)` reads just the referrers.
    ///
    /// Where one save changes 2,048 owners, a thread enters them later: the first look takes 0.2 µs for each.
    open class var tracksReferrers: Bool { false }

    /// Called before the object is deleted. Change or delete what depends on it here, or throw
    /// (``StoreError/denied(class:row:reason:)`` or an error of your own) to prevent the delete:
    /// then everything done here is taken back.
    open func prepareForDelete() throws {}

    /// Called for every inserted and every changed object before a save writes anything, and for
    /// the owners of these: the objects that reach one by relationships with an inverse and the
    /// rule `.cascade`. So a rule over an object and its parts is asked no matter which of them has
    /// changed; if another store changes one meanwhile, the save looks again. Throw if the object
    /// must not be saved as it is. The save then calls it for the others too, and throws
    /// ``StoreError/invalid(_:)`` with all failures; everything is still pending then.
    ///
    /// Other objects may be read here. They may also be changed, inserted or deleted: then all are
    /// validated once more, until a pass changes nothing. After 10 passes the save throws
    /// ``StoreError/validationUnstable(classes:)``. What `validate()` changed is taken back if the
    /// save throws one of these errors. While undo records, such changes are a step of their own.
    /// `save()`, undo and redo throw ``StoreError/stepUnderWay`` here; `rollback()` traps.
    /// This implementation does nothing, and costs a save nothing.
    open func validate() throws {}

    /// Drops the references to other objects, to break retain cycles. Called on every object by
    /// `store.dissolveAllRelationships()` that has no pending changes. Set the stored properties
    /// directly: this is no change.
    ///
    /// This implementation empties the declared relationships.
    open func dissolveAllRelationships() { emptyRelations() }

    /// Writes the declared fields by their names, and the object's ``IdentifiedObject/objectID``.
    ///
    /// A field without a value is left out, as Swift's own conformances do. An enum is its raw
    /// value, a `Codable` value what it makes of itself, a `BufferValue` of your own that is not
    /// `Encodable` its bytes. A relationship is the `objectID` of the other object, or a list of
    /// them: `null` for one that was never saved. With `CodingUserInfoKey.relationshipDepth` in the
    /// `userInfo` of the encoder, the other objects are written in place of their IDs, to that
    /// depth. An object that is being written already is written as its ID there, so cycles end.
    ///
    /// A class that writes its content by hand has no declared fields: override this to write more
    /// than its ID. Write what you like, also by `super.encode(to:)` into the same container.
    /// - Throws: why the content cannot be read (`fetchError`), or what `encoder` throws.
    open func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

    // MARK: What accessors call

    /// Call first when reading a property: fetches the content if that has not happened yet.
    ///
    /// A fetch that fails leaves initial values; `fetchError` says why. If a tracking closure is
    /// running, the object is observed from now on: see `Store.isObserved`.
    @inlinable @inline(__always)
    public final func willRead() {
        if !state.isDisjoint(with: .needsRead) { noteRead(at: nil) }
    }

    /// Call first when setting a property: fetches the content if that has not happened yet, and
    /// tells the store and the object's observers that it is about to change.
    @inlinable @inline(__always)
    public final func willChange() {
        if !state.isDisjoint(with: .needsChange) { _ = noteChange(at: nil) }
    }

    /// The field at `place` is read: does what ``willRead()`` does. `nil` for what is no field.
    @inline(never) @usableFromInline
    final func noteRead(at place: UnsafeRawPointer?) {
        if !state.isDisjoint(with: .needsReport) {
            storedClass?.context.noteRead(self, at: observedProperty(place))
        }
        if state.contains(.keepsBytes), let place { decodeKept(at: place) }
    }

    /// The field at `place` is about to change: does what ``willChange()`` does.
    /// - Returns: what ``noteChanged(at:_:)`` must do afterwards.
    @inline(never) @usableFromInline
    final func noteChange(at place: UnsafeRawPointer?) -> ChangeEnd {
        guard let classReference else { return .nothing }
        return classReference._withUnsafeGuaranteedRef { storedClass in
            storedClass.withContext { context in
                var end = ChangeEnd.nothing
                if !state.isDisjoint(with: .needsStore) {
                    if context.hasDelegate, place != nil {
                        context.beginChange()
                        end = .change
                    }
                    context.noteChange(of: self)
                    if place == nil { context.dropChange() }
                }
                guard state.contains(.observed) else { return end }
                context.tellObservers(self, at: observedProperty(place))
                return end.union(.observers)
            }
        }
    }

    /// As ``noteChange(at:)``, of a field that is about to be changed in place.
    @inline(never) @usableFromInline
    final func noteEdit(at place: UnsafeRawPointer) -> ChangeEnd {
        let end = noteChange(at: place)
        if state.contains(.keepsBytes) { prepareEdit(at: place) }
        return end
    }

    /// As ``noteChange(at:)``, of a list in which objects come and go.
    final func noteListChange(of relation: RelationCoder, byEdit isEdit: Bool) {
        guard !state.isDisjoint(with: .needsChange), let classReference else { return }
        classReference._withUnsafeGuaranteedRef { storedClass in
            storedClass.withContext { $0.noteListChange(of: self, relation, byEdit: isEdit) }
        }
    }

    /// The field at `place` has changed; `end` is what ``noteChange(at:)`` gave.
    @inline(never) @usableFromInline
    final func noteChanged(at place: UnsafeRawPointer, _ end: ChangeEnd) {
        guard let context = storedClass?.context else { return }
        if end.contains(.observers) {
            context.observed.tellChanged(self, at: observedProperty(place))
        }
        if end.contains(.change) { context.endChange() }
    }

    final func observedProperty(_ place: UnsafeRawPointer?) -> ObservedProperty {
        guard let place else { return .content }
        return ObservedProperty(
            offset: place - UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }

    final func noteStandingRead() {
        if state.contains(.reportsReads) { storedClass?.context.noteRead(self, at: .standing) }
    }

    // MARK: Where the object stands

    /// Whether the object is new: the next save writes its first record.
    public final var isInserted: Bool {
        noteStandingRead()
        return state.contains(.inserted)
    }

    /// Whether the object is new or has changed since the last save.
    public final var isChanged: Bool {
        noteStandingRead()
        return !state.isDisjoint(with: [.inserted, .updated])
    }

    /// Whether the object was deleted, or its row turned out to be gone. Editing it is harmless.
    public final var isDeleted: Bool {
        noteStandingRead()
        return state.contains(.deleted)
    }

    /// Whether the content has not been read yet.
    public final var isFault: Bool { state.contains(.fault) }
}
