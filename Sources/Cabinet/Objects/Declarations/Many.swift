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
            object.willRead()
            if object.rowID != 0, object.awaitsEdits { object.settleBeforeReading() }
            return object[keyPath: storage].stored
        }
        @inline(__always) _modify {
            // No slow path takes the key path: it would be made on every access.
            let edit: Edit
            if !object.state.isDisjoint(with: [.fault, .watched]) {
                edit = beginFirst(object)
            } else if object.rowID == 0 {
                edit = .plain
            } else {
                edit = object[keyPath: storage].edit != 0 ? .further : beginFirst(object)
            }
            defer {
                if edit.isFirst || (edit == .further && object[keyPath: storage].endsOutside) {
                    finish(object, edit)
                }
            }
            yield &object[keyPath: storage].stored
        }
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

        @inlinable var isFirst: Bool { self == .first || self == .step }
    }

    /// Whether an object that was put at either end may be in no store.
    @inlinable @inline(__always)
    var endsOutside: Bool { stored.last?.rowID == 0 || stored.first?.rowID == 0 }

    @usableFromInline @inline(never)
    static func beginFirst(_ object: StoredObject) -> Edit {
        let isStep = object.beginEdit()
        object.noteEdits()
        return isStep ? .step : .first
    }

    @usableFromInline @inline(never)
    static func finish(_ object: StoredObject, _ edit: Edit) {
        object.takeInOthers(all: edit.isFirst)
        if edit == .step { object.endStep() }
    }

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
