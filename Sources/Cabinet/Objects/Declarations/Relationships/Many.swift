import CabinetBackend

/// A relationship of a ``StoredObject`` to any number of others, in an order that is kept.
///
/// ```swift
/// @Many(onDelete: .cascade) var chapters: [Chapter]
/// @Many(unique: true) var favorites: [StoredObject]
/// ```
///
/// The objects may be of any subclass of the declared class, and one may stand there twice, unless
/// the relationship is `unique`: then all but the first are dropped. An object that is in no store
/// is inserted when it is put into a relationship of an object that is in one: at either end of the
/// list at once, in between when the edit ends or, of a list without an inverse, at the latest when
/// the owner is saved or objects are fetched. Where an inverse is declared, an owner that is in no
/// store is inserted, too, when objects of the store are put into its relationship.
///
/// A list without deleted objects is what is read: also without an inverse, an object is not in it from the
/// moment that it is deleted, and is again if it comes back, unless the list was edited meanwhile.
///
/// What both sides hold follows from the order of the edits alone, whether or not undo records and
/// whatever is read or saved between them.
///
/// Editing in place (`append`, `swapAt`) costs what it costs an array. With an inverse or `unique`,
/// and while undo records, that holds for `append` and `+=`, however long the list is; any other
/// edit then copies the list and compares it with what it was. Changes that come from the other
/// side (setting it, deleting an object) are collected, and cost one pass over the list when it is
/// next read. Setting a list to the objects that it holds, in their order, is no change.
///
/// Inside a closure passed to an in-place edit (`removeAll(where:)`), the inverse is not updated
/// yet, and reading, changing or saving the same list traps.
///
/// Between objects that are in no store, both sides follow each other in the same way. They hold
/// each other then: empty the relationships of those that are never inserted.
///
/// Not `Sendable`: it belongs to its object.
@propertyWrapper @frozen
public struct Many<Target: StoredObject> {
    @usableFromInline var stored: [Target]
    /// The edit that is not reconciled yet, 0 for none, and the bits of ``ManyEdit``.
    @usableFromInline var edit: UInt32 = 0
    /// As of how many deletes it is known that none of the objects is deleted; 0 where it is not.
    @usableFromInline var looked: UInt32 = 0

    /// A relationship to nothing at first.
    @inlinable
    public init() { self.init(wrappedValue: []) }

    /// A relationship with its first value.
    ///
    /// Without `onDelete`, nothing happens to the other objects.
    /// - Parameters:
    ///   - wrappedValue: the objects that a new owner refers to.
    ///   - rule: what happens to the other objects when the owner is deleted.
    ///   - unique: whether the list holds an object once at most.
    ///   - formerNames: the names that the property had in earlier programs, the latest first.
    @inlinable
    public init(
        wrappedValue: [Target] = [], onDelete rule: DeleteRule? = nil, unique: Bool = false,
        was formerNames: @autoclosure () -> FormerNames = []
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, unique, formerNames(), nil) }
        stored = wrappedValue
    }

    /// A relationship with another side that leads back: changing either changes both.
    ///
    /// The other side names each owner once, however often it stands here. Name the inverse on one
    /// side only. Without `onDelete`, the other objects forget this one.
    @inlinable
    public init(
        wrappedValue: [Target] = [],
        inverse: @autoclosure () -> (PartialKeyPath<Target> & Sendable),
        onDelete rule: DeleteRule? = nil, unique: Bool = false,
        was formerNames: @autoclosure () -> FormerNames = []
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, unique, formerNames(), inverse()) }
        stored = wrappedValue
    }

    @available(*, unavailable, message: "@Many belongs in a subclass of StoredObject")
    public var wrappedValue: [Target] {
        get { stored }
        set { stored = newValue }
    }

    @inlinable
    public static subscript<Object: StoredObject>(
        _enclosingInstance object: Object,
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Object, [Target]>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> [Target] {
        // All goes by the address: a check of the accesses under way takes longer than the append.
        // `isBeingEdited` replaces it.
        @inline(__always) get {
            let address = place(of: storage, in: object)
            if !object.state.isDisjoint(with: .needsRead) {
                object.noteRead(at: UnsafeRawPointer(address), by: wrapped())
            }
            guard object.awaitsEdits else {
                if address.pointee.isBeingEdited { trapOverlap() }
                return address.pointee.stored
            }
            object.reconcile(beforeReading: UnsafeMutableRawPointer(address))
            if address.pointee.isBeingEdited { trapOverlap() }
            let present = object.presentObjects(at: UnsafeMutableRawPointer(address))
            return present.map { unsafeBitCast($0, to: [Target].self) } ?? address.pointee.stored
        }
        @inline(__always) _modify {
            let address = place(of: storage, in: object)
            let edit = begin(object, address)
            let former = ListMark(address.pointee.stored)
            defer { end(edit, from: former, object, address) }
            yield &address.pointee.stored
        }
    }

    @inlinable @inline(__always)
    static func begin(_ object: StoredObject, _ address: UnsafeMutablePointer<Self>) -> Edit {
        let edit = step(object, address)
        if address.pointee.isBeingEdited { trapOverlap() }
        address.pointee.edit |= ManyEdit.underWay
        address.pointee.looked = 0
        return edit
    }

    @inlinable @inline(__always)
    static func step(_ object: StoredObject, _ address: UnsafeMutablePointer<Self>) -> Edit {
        if object.state.isDisjoint(with: .needsChange) {
            if object.rowID == 0 {
                object.beginPlainEdit(at: UnsafeMutableRawPointer(address))
                return .plain
            }
            if address.pointee.goesOn { return .further }
        } else if address.pointee.goesOn, object.state.isDisjoint(with: .needsStore) {
            _ = object.noteChange(at: UnsafeRawPointer(address))
            return .observed
        }
        let (isStep, isFirst) = object.beginListEdit(at: UnsafeMutableRawPointer(address))
        return isStep ? .step : isFirst ? .first : .observed
    }

    @inlinable @inline(__always)
    static func end(
        _ edit: Edit, from former: ListMark, _ object: StoredObject,
        _ address: UnsafeMutablePointer<Self>
    ) {
        address.pointee.edit &= ~ManyEdit.underWay
        if edit == .further, address.pointee.needsNoLook(from: former) { return }
        let place = UnsafeMutableRawPointer(address)
        if edit == .plain { return object.endPlainEdit(at: place, former) }
        object.endListEdit(at: place, from: edit == .first || edit == .step ? nil : former)
        if edit == .step { object.endStep() }
    }

    /// Whether nothing follows from a further edit but what is seen to when edits are reconciled: of
    /// a list with an inverse, that it has added one object to which nothing leads; of others, that
    /// no object is to be inserted.
    @inlinable @inline(__always)
    func needsNoLook(from former: ListMark) -> Bool {
        if edit & ManyEdit.free != 0 { return !endsOutside }
        return stored.count < stored.capacity
            && former.withOnlyAppended(in: stored) { $0.arriveUnrelated() }
    }

    @inline(__always)
    var isEmptyAndAtRest: Bool {
        stored.isEmpty && edit & (ManyEdit.underWay | ManyEdit.away) == 0
    }

    /// Whether an edit is not reconciled yet, and the next one may be looked at when it ends.
    @inlinable @inline(__always)
    var goesOn: Bool { edit & (ManyEdit.run | ManyEdit.free) != 0 }

    @inlinable @inline(__always)
    var isBeingEdited: Bool { edit & ManyEdit.underWay != 0 }

    @usableFromInline @inline(never)
    static func trapOverlap() -> Never { ManyEdit.trapOverlap() }

    /// What an edit is to its store.
    @usableFromInline
    enum Edit: UInt8 {
        /// The object is in no store.
        case plain
        /// An earlier edit was reported to the store and is not reconciled yet.
        case further
        /// As `further`, of an object that is observed.
        case observed
        case first
        /// As `first`, and the step that holds it must be ended.
        case step
    }

    /// Whether an object that was put at either end may be in no store.
    @inlinable @inline(__always)
    var endsOutside: Bool {
        stored.withUnsafeBufferPointer { objects in
            guard let first = objects.baseAddress, !objects.isEmpty else { return false }
            // The list holds them: no references are counted.
            let held = UnsafeRawPointer(first).assumingMemoryBound(to: Unmanaged<Target>.self)
            return held[objects.count - 1]._withUnsafeGuaranteedRef { $0.rowID == 0 }
                || held[0]._withUnsafeGuaranteedRef { $0.rowID == 0 }
        }
    }

    @usableFromInline @inline(never)
    static func note(
        _ rule: DeleteRule?, _ isUnique: Bool, _ formerNames: FormerNames,
        _ inverse: (PartialKeyPath<Target> & Sendable)?
    ) {
        DeclarationRecorder.note(
            FieldDeclaration(
                wrapper: Self.self, formerNames: formerNames.names, rule: rule,
                isUnique: isUnique, inverse: inverse))
    }
}

/// What all `Many` have in common.
@usableFromInline
enum ManyEdit {
    /// Set in the number of an edit while the list is being changed in place.
    @inlinable static var underWay: UInt32 { 1 << 31 }
    /// Set there while the list is kept elsewhere, as no edit waits to be reconciled.
    @inlinable static var away: UInt32 { 1 << 30 }
    /// Set there while an edit waits that has put one object at the end, to which nothing leads.
    @inlinable static var appended: UInt32 { 1 << 29 }
    /// Likewise several objects, by one edit each. The list has room for one more.
    @inlinable static var run: UInt32 { 1 << 28 }
    /// Set there while an edit waits from which nothing follows for other objects.
    @inlinable static var free: UInt32 { 1 << 27 }
    /// The highest number of an edit.
    @inlinable static var last: UInt32 { free - 1 }
    /// The bits that say how far an edit that waits has come.
    @inlinable static var stages: UInt32 { appended | run | free }

    static func trapOverlap() -> Never {
        preconditionFailure("a relationship was used while it was being changed in place")
    }
}

extension Many: DeclaredField {
    @usableFromInline
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder? {
        ManyCoder(Target.self, declaration) { $0 is Target.Type }
    }
}
