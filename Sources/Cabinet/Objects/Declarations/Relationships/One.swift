import CabinetBackend

/// A relationship of a ``StoredObject`` to one other, or none.
///
/// ```swift
/// @One(onDelete: .cascade) var cover: Artwork?
/// ```
///
/// The object may be of any subclass of the declared class. One that is in no store is inserted
/// when it is assigned to an object that is in one, or when that one is inserted. Where an inverse
/// is declared, an object that is in no store is inserted, too, when an object of the store is
/// assigned to its relationship. Assigning the object that stands there is no change. From the moment
/// that the object is deleted, the relationship is `nil`; if it comes back, it stands here again.
///
/// A chain of objects, each of which alone holds the next, may be of any length: they are freed one
/// after the other, see ``StoredObject``.
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
    ///   - formerNames: the names that the property had in earlier programs, the latest first.
    @inlinable
    public init(
        wrappedValue: Target? = nil, onDelete rule: DeleteRule? = nil,
        was formerNames: @autoclosure () -> FormerNames = []
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, formerNames(), nil) }
        stored = wrappedValue
    }

    /// A relationship with another side that leads back: changing either changes both.
    ///
    /// Name the inverse on one side only. Without `onDelete`, the other object forgets this one.
    @inlinable
    public init(
        wrappedValue: Target? = nil,
        inverse: @autoclosure () -> (PartialKeyPath<Target> & Sendable),
        onDelete rule: DeleteRule? = nil, was formerNames: @autoclosure () -> FormerNames = []
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, formerNames(), inverse()) }
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
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Object, Target?>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Target? {
        @inline(__always) get {
            if !object.state.isDisjoint(with: .needsRead) {
                object.noteRead(
                    at: UnsafeRawPointer(place(of: storage, in: object)), by: wrapped())
            }
            if object.awaitsEdits {
                object.reconcile(beforeReading: place(of: storage, in: object))
            }
            let stored = object[keyPath: storage].stored
            if let stored, stored.state.contains(.deleted),
                object.passesOver(
                    stored, at: UnsafeMutableRawPointer(place(of: storage, in: object)))
            {
                return nil
            }
            return stored
        }
        @inline(__always) set {
            assign(newValue, to: place(of: storage, in: object), of: object)
        }
        // One `yield`: where there are two, the compiler does not see through the key path.
        @inline(__always) _modify {
            let edit = begin(object, place(of: storage, in: object))
            defer { end(edit, object, place(of: storage, in: object)) }
            yield &object[keyPath: storage].stored
        }
    }

    /// Gives the field of `object` a value. The one that it has is no change.
    @inlinable
    static func assign(
        _ value: Target?, to address: UnsafeMutablePointer<Self>, of object: StoredObject
    ) {
        if object.rowID != 0, object.isUpToDate(at: address), address.pointee.stored === value {
            return
        }
        let edit = begin(object, address)
        address.pointee.stored = value
        end(edit, object, address)
    }

    /// `end` is `nil` if the object is in no store.
    @inlinable @inline(__always)
    static func begin(
        _ object: StoredObject, _ address: UnsafeMutablePointer<Self>
    ) -> (old: Target?, end: ChangeEnd?) {
        if object.rowID == 0 { return (address.pointee.stored, nil) }
        let end = object.beginEdit(at: UnsafeMutableRawPointer(address))
        return (address.pointee.stored, end)
    }

    @inlinable @inline(__always)
    static func end(
        _ edit: (old: Target?, end: ChangeEnd?), _ object: StoredObject,
        _ address: UnsafeMutablePointer<Self>
    ) {
        let new = address.pointee.stored
        guard let end = edit.end else {
            if new !== edit.old || new?.rowID ?? 0 != 0 {
                object.relatePlain(at: UnsafeMutableRawPointer(address), from: edit.old, to: new)
            }
            return
        }
        if new !== edit.old {
            object.didRelate(at: UnsafeMutableRawPointer(address), from: edit.old, to: new)
        }
        if !end.isNothing { object.endEdit(end, at: UnsafeMutableRawPointer(address)) }
    }

    @usableFromInline @inline(never)
    static func note(
        _ rule: DeleteRule?, _ formerNames: FormerNames,
        _ inverse: (PartialKeyPath<Target> & Sendable)?
    ) {
        DeclarationRecorder.note(
            FieldDeclaration(
                wrapper: Self.self, formerNames: formerNames.names, rule: rule,
                inverse: inverse))
    }
}

extension One: DeclaredField {
    @usableFromInline
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder? {
        OneCoder(Target.self, declaration) { $0 is Target.Type }
    }
}
