import CabinetBackend

/// A relationship of a ``StoredObject`` to one other, or none.
///
/// ```swift
/// @One(onDelete: .cascade) var cover: Artwork?
/// ```
///
/// The object may be of any subclass of the declared class. One that is in no store is inserted
/// when it is assigned to an object that is in one, or when that one is inserted. What is deleted
/// is read as it is until the record is next read or written, and asked for `isDeleted`.
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
    /// - Parameter was: the name in records that earlier programs wrote.
    @inlinable
    public init(
        wrappedValue: Target? = nil, onDelete rule: DeleteRule? = nil,
        was formerName: String? = nil
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, formerName) }
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
            object.willRead()
            return object[keyPath: storage].stored
        }
        @inline(__always) _modify {
            let isStep = object.beginEdit()
            defer { object.endEdit(relatingTo: object[keyPath: storage].stored, isStep: isStep) }
            yield &object[keyPath: storage].stored
        }
    }

    @usableFromInline @inline(never)
    static func note(_ rule: DeleteRule?, _ formerName: String?) {
        DeclarationRecorder.note(
            FieldDeclaration(
                wrapper: ObjectIdentifier(Self.self), formerName: formerName, rule: rule))
    }
}

extension One: DeclaredField {
    @usableFromInline
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder? {
        OneCoder(Target.self, declaration) { $0 is Target.Type }
    }
}
