import CabinetBackend

/// A value of a ``StoredObject`` that keeps itself: read from the store when first touched, and
/// noticed when it changes, in place too.
///
/// ```swift
/// final class Song: StoredObject {
///     @Field var title = ""
///     @Field var seconds: UInt32 = 0
///     @Field var released: Date?
/// }
/// ```
///
/// Any type that a ``DataBuffer`` can carry will do: integers, floats, `Bool`, `String`, `Data`,
/// `Date`, `UUID`, `URL`, `Decimal`, `BufferValue`s of your own, enums with a raw value, any
/// `Codable` type, and optionals, arrays, sets and dictionaries of these. Other types are refused, by
/// the compiler or, where it cannot tell, when a store is opened with the class, by
/// ``StoreError/cannotStore(class:field:reason:)``; so are collections of collections of enums that
/// have a raw value and are neither `Codable` nor `BufferValue`. An optional field is `nil` at first;
/// others need an initial value.
///
/// Assigning the value that the field has is no change: the object is not marked, undo records no
/// step, and neither the delegate nor observers are called. A value counts as the same if its type
/// is `Equatable`, both are equal, and both are stored alike: `0.0` and `-0.0`, or a text in two
/// Unicode forms, are different values. A change in place (`append`, `+=`) is always a change.
///
/// Takes no memory but the value's. Not `Sendable`: it belongs to its object.
@propertyWrapper @frozen
public struct Field<Value> {
    @usableFromInline var stored: Value

    @inlinable @inline(__always)
    init(stored: Value) { self.stored = stored }

    /// A field that is `nil` at first.
    ///
    /// There can be one such initialiser only, so it takes optionals of every type; one that cannot
    /// be stored is refused when its class is registered.
    @inlinable
    public init() where Value: ExpressibleByNilLiteral {
        self.init(declared: nil, formerNames: { [] })
    }

    @available(*, unavailable, message: "@Field belongs in a subclass of StoredObject")
    public var wrappedValue: Value {
        get { stored }
        set { stored = newValue }
    }

    @inlinable
    public static subscript<Object: StoredObject>(
        _enclosingInstance object: Object,
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        @inline(__always) get {
            if !object.state.isDisjoint(with: .needsRead) {
                object.noteRead(at: address(storage, in: object), by: wrapped())
            }
            return object[keyPath: storage].stored
        }
        @inline(__always) set {
            let field = place(of: storage, in: object)
            if object.state.isDisjoint(with: .needsChange) {
                field.pointee.stored = newValue
            } else {
                assign(newValue, to: field, of: object)
            }
        }
        @inline(__always) _modify {
            var end = ChangeEnd.nothing
            if !object.state.isDisjoint(with: .needsChange) {
                end = object.noteEdit(at: address(storage, in: object))
            }
            defer {
                if !end.isNothing { object.noteChanged(at: address(storage, in: object), end) }
            }
            yield &object[keyPath: storage].stored
        }
    }

    /// Gives the field of `object` a value and reports the change to the store and the observers.
    @inlinable @inline(never)
    static func assign(
        _ value: Value, to field: UnsafeMutablePointer<Self>, of object: StoredObject
    ) {
        let address = UnsafeRawPointer(field)
        if withUnsafePointer(to: value, { object.holds(UnsafeRawPointer($0), at: address) }) {
            return
        }
        let end = object.noteChange(at: address)
        if object.state.contains(.keepsBytes) { object.dropKept(at: address) }
        field.pointee.stored = value
        if !end.isNothing { object.noteChanged(at: address, end) }
    }

    /// Where the field lies.
    @inlinable @inline(__always)
    static func address<Object: StoredObject>(
        _ storage: ReferenceWritableKeyPath<Object, Self>, in object: Object
    ) -> UnsafeRawPointer {
        UnsafeRawPointer(place(of: storage, in: object))
    }
}

extension Field: DeclaredField {
    @usableFromInline
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder? {
        ValueForm<Value>.coder(unknown: declaration?.unknown)
    }

    /// Tells a recorder, if there is one, what was declared.
    @usableFromInline @inline(never)
    static func note(formerNames: FormerNames) {
        DeclarationRecorder.note(
            FieldDeclaration(wrapper: Self.self, formerNames: formerNames.names))
    }

    /// As ``note(formerNames:)``, with the value that stands for raw values of newer programs.
    @usableFromInline @inline(never)
    static func note(formerNames: FormerNames, unknown: Value) {
        DeclarationRecorder.note(
            FieldDeclaration(
                wrapper: Self.self, formerNames: formerNames.names,
                unknown: ValueForm<Value>.bytes(of: unknown)))
    }

    /// A field with its first value, and the one that stands for raw values of newer programs.
    @inlinable @inline(__always)
    init(declared value: Value, unknown: Value, formerNames: () -> FormerNames) {
        if DeclarationRecorder.isActive { Self.note(formerNames: formerNames(), unknown: unknown) }
        self.init(stored: value)
    }

    /// A field with its first value.
    @inlinable @inline(__always)
    init(declared value: Value, formerNames: () -> FormerNames) {
        if DeclarationRecorder.isActive { Self.note(formerNames: formerNames()) }
        self.init(stored: value)
    }
}
