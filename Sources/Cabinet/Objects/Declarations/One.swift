import CabinetBackend

/// A relationship of a ``StoredObject`` to one other, or none.
///
/// ```swift
/// @One(onDelete: .cascade) var cover: Artwork?
/// ```
///
/// The object may be of any subclass of the declared class. One that is in no store is inserted
/// when it is assigned to an object that is in one, or when that one is inserted. An object that is
/// deleted stays here as it is, unless an inverse or ``DeleteRule/nullify`` takes it out: ask it for
/// `isDeleted`. It goes when the record is next read or written; where another run of the program
/// deleted it, once it has been touched.
///
/// Swift frees a chain of objects, each of which alone holds the next, by a call within a call: one of
/// some ten thousand can use up the stack, also where a save was the last to hold it. Give such a
/// relationship an inverse, as both sides hold each other, or hold the objects in an array.
///
/// Not `Sendable`: it belongs to its object.
@propertyWrapper @frozen
public struct One<Target: StoredObject> {
    @usableFromInline var stored: Target?

    /// A relationship to nothing at first.
    @inlinable
    public init() { self.init(wrappedValue: nil) }

    /// A relationship with its first value.
    ///
    /// Without `onDelete`, nothing happens to the other object.
    /// - Parameters:
    ///   - wrappedValue: the object that a new owner refers to.
    ///   - rule: what happens to the other object when the owner is deleted.
    ///   - formerName: the name in records that earlier programs wrote.
    @inlinable
    public init(
        wrappedValue: Target? = nil, onDelete rule: DeleteRule? = nil,
        was formerName: String? = nil
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, formerName, nil) }
        stored = wrappedValue
    }

    /// A relationship with another side that leads back: changing either changes both.
    ///
    /// Name the inverse on one side only. Without `onDelete`, the other object forgets this one.
    @inlinable
    public init(
        wrappedValue: Target? = nil,
        inverse: @autoclosure () -> (PartialKeyPath<Target> & Sendable),
        onDelete rule: DeleteRule? = nil, was formerName: String? = nil
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, formerName, inverse()) }
        stored = wrappedValue
    }

    @available(*, unavailable, message: "@One belongs in a subclass of StoredObject")
    public var wrappedValue: Target? {
        get { stored }
        set { stored = newValue }
    }

    @inlinable
    public static subscript<Object: StoredObject>(
        _enclosingInstance object: Object,
        wrapped wrapped: ReferenceWritableKeyPath<Object, Target?>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Target? {
        @inline(__always) get {
            if !object.state.isDisjoint(with: .needsRead) {
                object.noteRead(at: UnsafeRawPointer(place(storage, in: object)))
            }
            if object.awaitsEdits { object.settle(beforeReading: place(storage, in: object)) }
            return object[keyPath: storage].stored
        }
        // One `yield`: where there are two, the compiler does not see through the key path.
        @inline(__always) _modify {
            let edit = begin(object, storage)
            defer {
                if let edit { end(object, place(storage, in: object), edit.old, edit.isStep) }
            }
            yield &object[keyPath: storage].stored
        }
    }

    /// `nil` if the object is in no store.
    @inlinable @inline(__always)
    static func begin<Object: StoredObject>(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, Self>
    ) -> (old: Target?, isStep: Bool)? {
        if object.rowID == 0 {
            object.willChange()
            return nil
        }
        let place = place(storage, in: object)
        let isStep = object.beginEdit(at: UnsafeMutableRawPointer(place))
        return (place.pointee.stored, isStep)
    }

    /// Where the field lies: see ``Many``.
    @inlinable @inline(__always)
    static func place<Object: StoredObject>(
        _ storage: ReferenceWritableKeyPath<Object, Self>, in object: Object
    ) -> UnsafeMutablePointer<Self> {
        withUnsafeMutablePointer(to: &object[keyPath: storage]) { $0 }
    }

    @inlinable @inline(__always)
    static func end(
        _ object: StoredObject, _ place: UnsafeMutablePointer<Self>, _ old: Target?, _ isStep: Bool
    ) {
        let new = place.pointee.stored
        if new !== old {
            object.didRelate(at: UnsafeMutableRawPointer(place), from: old, to: new)
        }
        if !object.state.isDisjoint(with: .observed) { object.noteChanged(at: place) }
        if isStep { object.endStep() }
    }

    @usableFromInline @inline(never)
    static func note(
        _ rule: DeleteRule?, _ formerName: String?, _ inverse: (PartialKeyPath<Target> & Sendable)?
    ) {
        DeclarationRecorder.note(
            FieldDeclaration(
                wrapper: Self.self, formerName: formerName, rule: rule,
                inverse: inverse))
    }
}

extension One: DeclaredField {
    @usableFromInline
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder? {
        OneCoder(Target.self, declaration) { $0 is Target.Type }
    }
}
