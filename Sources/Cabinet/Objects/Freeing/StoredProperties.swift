/// Finds the variables of a class that hold stored objects.
///
/// The source is what the compiler lays into each class: its field descriptor, and the offsets of
/// its fields (Swift's `docs/ABI/TypeMetadata.rst`, "Class Metadata" and "Nominal Type Descriptor";
/// `docs/ABI/Mangling.rst`, "Symbolic references"). It is believed only after it gave the true names
/// and offsets of ``StoredObject``'s own properties; otherwise no variable is found.
enum StoredProperties {
    #if canImport(ObjectiveC)
        private static let flagsOffset = 40
    #else
        private static let flagsOffset = 16
    #endif
    private static let isGeneric: UInt32 = 1 << 7
    private static let hasResilientSuperclass: UInt32 = 1 << 29
    private static let isVariable: UInt32 = 1 << 1
    private static let structKind = 0x200
    private static let optionalKind = 0x202

    /// One stored property, as its class's field descriptor has it.
    private struct Property {
        let offset: Int
        let isVariable: Bool
        let name: UnsafeRawPointer
        let typeName: UnsafeRawBufferPointer
    }

    /// Where objects of `type` hold stored objects, inherited variables included. Constants are left
    /// out, as the compiler may take for granted that they stay; so are `weak` and `unowned`
    /// variables.
    static func places(of type: StoredObject.Type) -> [HeldReferences.Place] {
        guard isTrusted else { return [] }
        var places: [HeldReferences.Place] = []
        var level: UnsafeRawPointer? = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let top = unsafeBitCast(StoredObject.self, to: UnsafeRawPointer.self)
        while let metadata = level, metadata != top {
            for property in properties(of: metadata) where property.isVariable {
                guard let isList = isList(property.typeName, of: metadata) else { continue }
                places.append(.init(offset: property.offset, isList: isList))
            }
            level = metadata.load(
                fromByteOffset: MemoryLayout<Int>.size, as: UnsafeRawPointer?.self)
        }
        return places
    }

    private static func descriptor(of metadata: UnsafeRawPointer) -> UnsafeRawPointer {
        metadata.load(fromByteOffset: flagsOffset + 24, as: UnsafeRawPointer.self)
    }

    /// The properties that a class declares itself; none if they cannot be known.
    private static func properties(of metadata: UnsafeRawPointer) -> [Property] {
        let descriptor = descriptor(of: metadata)
        let count = Int(descriptor.load(fromByteOffset: 36, as: UInt32.self))
        guard descriptor.load(as: UInt32.self) & hasResilientSuperclass == 0, count > 0,
            let fields = target(of: descriptor + 16),
            fields.load(fromByteOffset: 12, as: UInt32.self) == UInt32(count)
        else { return [] }
        let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        let offsets =
            metadata + Int(descriptor.load(fromByteOffset: 40, as: UInt32.self))
            * MemoryLayout<Int>.size
        return (0..<count).compactMap { index in
            let record = fields + 16 + index * size
            guard let type = target(of: record + 4), let name = target(of: record + 8) else {
                return nil
            }
            return Property(
                offset: offsets.load(
                    fromByteOffset: index * MemoryLayout<Int>.size, as: Int.self),
                isVariable: record.load(as: UInt32.self) & isVariable != 0, name: name,
                typeName: mangledName(at: type))
        }
    }

    /// Where the relative reference at `place` leads.
    private static func target(of place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = place.load(as: Int32.self)
        return distance == 0 ? nil : place + Int(distance)
    }

    /// A mangled name up to its end, which is a zero outside symbolic references.
    private static func mangledName(at start: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        var length = 0
        while true {
            switch start.load(fromByteOffset: length, as: UInt8.self) {
            case 0: return UnsafeRawBufferPointer(start: start, count: length)
            case 0x01...0x17: length += 5
            case 0x18...0x1F: length += 1 + MemoryLayout<Int>.size
            default: length += 1
            }
        }
    }

    /// Whether a variable of the named type is a list of stored objects; `nil` if it does not hold
    /// any, or not as an owner.
    private static func isList(
        _ name: UnsafeRawBufferPointer, of metadata: UnsafeRawPointer
    ) -> Bool? {
        guard let start = name.baseAddress, name.count > 2 else { return nil }
        if name[name.count - 2] == UInt8(ascii: "X") {
            // `weak`, `unowned`, `unowned(unsafe)`
            let owner = name[name.count - 1]
            if [UInt8(ascii: "w"), UInt8(ascii: "o"), UInt8(ascii: "u")].contains(owner) {
                return nil
            }
        }
        let descriptor = descriptor(of: metadata)
        var arguments: UnsafeRawPointer?
        if descriptor.load(as: UInt32.self) & isGeneric != 0 {
            let end = Int(descriptor.load(fromByteOffset: 28, as: UInt32.self))
            let own = Int(descriptor.load(fromByteOffset: 32, as: UInt32.self))
            arguments = metadata + (end - own) * MemoryLayout<Int>.size
        }
        let type = _getTypeByMangledNameInContext(
            start.assumingMemoryBound(to: UInt8.self), UInt(name.count),
            genericContext: descriptor, genericArguments: arguments)
        return type.flatMap(isList)
    }

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

    /// Whether what is found for ``StoredObject`` is so: names, offsets, and what is a variable.
    private static let isTrusted: Bool = {
        let found = properties(
            of: unsafeBitCast(StoredObject.self, to: UnsafeRawPointer.self))
        let own = StoredObject().ownOffsets
        return found.count >= own.count
            && zip(found, zip(["state", "rowID"], own)).allSatisfy { property, expected in
                String(cString: property.name.assumingMemoryBound(to: CChar.self))
                    == expected.0 && property.offset == expected.1 && property.isVariable
            }
    }()
}
