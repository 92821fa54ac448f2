/// Finds the variables of a class that hold stored objects.
///
/// The source is ``FieldOffsets``; for the kinds and arguments of types, Swift's
/// `docs/ABI/TypeMetadata.rst`, "Struct Metadata" and "Enum Metadata".
enum StoredProperties {
    private static let structKind = 0x200
    private static let optionalKind = 0x202

    /// Where objects of `type` hold others, also inherited; no constants, `weak`, `unowned`.
    static func slots(of type: StoredObject.Type) -> [HeldReferences.Slot] {
        var slots: [HeldReferences.Slot] = []
        var level: AnyClass = type
        while level != StoredObject.self {
            if let known = FieldOffsets.of(level) {
                for property in known.properties ?? [] where property.isVariable {
                    guard known.isOwner(property), let type = known.type(of: property),
                        let isList = isList(type)
                    else { continue }
                    slots.append(.init(offset: property.offset, isList: isList))
                }
            }
            guard let next = _getSuperclass(level) else { break }
            level = next
        }
        return slots
    }

    /// Whether a variable of `type` holds a list of stored objects; `nil` if it holds none.
    private static func isList(_ type: Any.Type) -> Bool? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        switch metadata.load(as: Int.self) {
        case optionalKind:
            let wrapped = argument(of: metadata)
            return isStored(wrapped) ? false : isArray(wrapped) ? true : nil
        case structKind:
            if isArray(type) { return true }
            guard isStored(argument(of: metadata, if: [one, many])) else { return nil }
            return nominal(metadata) == many
        default:
            return nil
        }
    }

    private static func isArray(_ type: Any.Type?) -> Bool {
        guard let type else { return false }
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: Int.self) == structKind else { return false }
        return isStored(argument(of: metadata, if: [array]))
    }

    private static func isStored(_ type: Any.Type?) -> Bool { type is StoredObject.Type }

    /// The first generic argument of an optional or, of a struct, of one of `kinds`.
    private static func argument(
        of metadata: UnsafeRawPointer, if kinds: [UInt]? = nil
    ) -> Any.Type? {
        if let kinds, !kinds.contains(nominal(metadata)) { return nil }
        return unsafeBitCast(
            metadata.load(
                fromByteOffset: 2 * MemoryLayout<Int>.size, as: UnsafeRawPointer.self),
            to: Any.Type.self)
    }

    /// The descriptor of a struct: one for all that differ in their arguments only.
    private static func nominal(_ metadata: UnsafeRawPointer) -> UInt {
        metadata.load(fromByteOffset: MemoryLayout<Int>.size, as: UInt.self)
    }

    private static let one = nominal(
        unsafeBitCast(One<StoredObject>.self as Any.Type, to: UnsafeRawPointer.self))
    private static let many = nominal(
        unsafeBitCast(Many<StoredObject>.self as Any.Type, to: UnsafeRawPointer.self))
    private static let array = nominal(
        unsafeBitCast([StoredObject].self as Any.Type, to: UnsafeRawPointer.self))
}
