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
/// are inserted with the object that has them, or when they are put there: at once at either end, in
/// between at the latest when the object is saved or objects are fetched.
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
        if DeclarationRecorder.isActive { Self.note(rule, unique, formerName, nil) }
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
        onDelete rule: DeleteRule? = nil, unique: Bool = false, was formerName: String? = nil
    ) {
        if DeclarationRecorder.isActive { Self.note(rule, unique, formerName, inverse()) }
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
            if !object.state.isDisjoint(with: .needsRead) {
                object.noteRead(at: UnsafeRawPointer(place(storage, in: object)))
            }
            if object.awaitsEdits { object.settle(beforeReading: place(storage, in: object)) }
            return object[keyPath: storage].stored
        }
        @inline(__always) _modify {
            let place = place(storage, in: object)
            let edit = begin(object, place)
            defer { end(edit, object, place) }
            yield &object[keyPath: storage].stored
        }
    }

    /// Where the field lies. What comes after the first use of the key path has this instead: the
    /// path is made anew wherever the compiler does not see through to the property.
    @inlinable @inline(__always)
    static func place<Object: StoredObject>(
        _ storage: ReferenceWritableKeyPath<Object, Self>, in object: Object
    ) -> UnsafeMutablePointer<Self> {
        withUnsafeMutablePointer(to: &object[keyPath: storage]) { $0 }
    }

    @inlinable @inline(__always)
    static func begin(_ object: StoredObject, _ place: UnsafeMutablePointer<Self>) -> Edit {
        if object.state.isDisjoint(with: .needsChange) {
            if object.rowID == 0 { return .plain }
            if place.pointee.edit != 0 { return .further }
        }
        return object.beginUnsettledEdit(at: UnsafeMutableRawPointer(place)) ? .step : .first
    }

    @inlinable @inline(__always)
    static func end(_ edit: Edit, _ object: StoredObject, _ place: UnsafeMutablePointer<Self>) {
        if edit == .plain || edit == .further && !place.pointee.endsOutside { return }
        object.endUnsettledEdit(at: UnsafeMutableRawPointer(place), isFirst: edit != .further)
        if edit == .step { object.endStep() }
    }

    /// What an edit is to its store.
    @usableFromInline
    enum Edit: UInt8 {
        /// The object is in no store.
        case plain
        /// An earlier one has told the store, and waits for being settled.
        case further
        case first
        /// As `first`, and the step that holds it must be ended.
        case step
    }

    /// Whether an object that was put at either end may be in no store.
    @inlinable @inline(__always)
    var endsOutside: Bool { stored.last?.rowID == 0 || stored.first?.rowID == 0 }

    @usableFromInline @inline(never)
    static func note(
        _ rule: DeleteRule?, _ isUnique: Bool, _ formerName: String?,
        _ inverse: (PartialKeyPath<Target> & Sendable)?
    ) {
        DeclarationRecorder.note(
            FieldDeclaration(
                wrapper: ObjectIdentifier(Self.self), formerName: formerName, rule: rule,
                isUnique: isUnique, inverse: inverse))
    }
}

extension Many: DeclaredField {
    @usableFromInline
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder? {
        ManyCoder(Target.self, declaration) { $0 is Target.Type }
    }
}
