import CabinetBackend

/// A relationship of a ``StoredObject`` to any number of others, in an order that is kept.
///
/// ```swift
/// @Many(onDelete: .cascade) var chapters: [Chapter]
/// @Many(unique: true) var favorites: [StoredObject]
/// ```
///
/// The objects may be of any subclass of the declared class, and one may stand there twice, unless
/// the relationship is `unique`: then all but the first are dropped. Objects that are in no store
/// are inserted with the object that has them; those assigned to an object in a store, at the
/// latest when it is saved or objects are fetched.
///
/// Editing in place (`append`, `swapAt`) costs what it costs an array. Not `Sendable`: it belongs
/// to its object.
@propertyWrapper @frozen
public struct Many<Target: StoredObject> {
    @usableFromInline var stored: [Target]
    /// The edit that is not settled yet; 0 for none.
    @usableFromInline var edit: UInt32 = 0

    /// A relationship to nothing at first.
    @inlinable
    public init() { self.init(wrappedValue: []) }

    /// A relationship with its first value.
    ///
    /// Without `onDelete`, nothing happens to the other objects.
    /// - Parameter was: the name in records that earlier programs wrote.
    @inlinable
    public init(
        wrappedValue: [Target] = [], onDelete rule: DeleteRule? = nil, unique: Bool = false,
        was formerName: String? = nil
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, unique, formerName) }
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
        wrapped wrapped: ReferenceWritableKeyPath<Object, [Target]>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> [Target] {
        @inline(__always) get {
            object.willRead()
            if object[keyPath: storage].edit != 0 { object.settle() }
            return object[keyPath: storage].stored
        }
        @inline(__always) _modify {
            let isStep = begin(object, storage)
            defer { if isStep { object.endStep() } }
            yield &object[keyPath: storage].stored
        }
    }

    /// What every edit but the first pays between two settlings: two tests.
    @inlinable @inline(__always)
    static func begin<Object: StoredObject>(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Bool {
        if object.state.isDisjoint(with: [.fault, .watched]),
            object.rowID == 0 || object[keyPath: storage].edit != 0
        {
            return false
        }
        return beginFirst(object, storage)
    }

    @usableFromInline @inline(never)
    static func beginFirst<Object: StoredObject>(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Bool {
        let isStep = object.beginEdit()
        let base = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        let offset = withUnsafePointer(to: &object[keyPath: storage]) {
            UnsafeRawPointer($0) - base
        }
        object.noteEdit(ofFieldAt: offset)
        return isStep
    }

    @usableFromInline @inline(never)
    static func note(_ rule: DeleteRule?, _ isUnique: Bool, _ formerName: String?) {
        DeclarationRecorder.note(
            FieldDeclaration(
                wrapper: ObjectIdentifier(Self.self), formerName: formerName, rule: rule,
                isUnique: isUnique))
    }
}

extension Many: DeclaredField {
    @usableFromInline
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder? {
        ManyCoder(Target.self, declaration) { $0 is Target.Type }
    }
}
