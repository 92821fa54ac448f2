/// The compiler's description of the stored properties of a class: names, types and offsets.
///
/// The source is the class's descriptor (Swift's `docs/ABI/TypeMetadata.rst`, "Class Metadata" and
/// "Nominal Type Descriptor"; for names and types, the field descriptor that it leads to). A mirror
/// asks the runtime for conformances of every class and property, each time through all of the
/// program's.
///
/// It is trusted only if it gives the true names and offsets of ``StoredObject``'s own
/// properties; otherwise classes with declared fields are refused, and no memory is touched.
struct FieldOffsets {
    private let metadata: UnsafeRawPointer
    private let descriptor: UnsafeRawPointer

    struct Property {
        let offset: Int
        /// Whether it is a `var`; the compiler may take for granted that a `let` stays as it is.
        let isVariable: Bool
        fileprivate let nameStart: UnsafePointer<CChar>
        fileprivate let typeName: UnsafeRawPointer

        var name: String { String(cString: nameStart) }
    }

    #if canImport(ObjectiveC)
        private static let flagsOffset = 40
    #else
        private static let flagsOffset = 16
    #endif
    private static let membersAreNegative: UInt32 = 1 << 28
    private static let hasResilientSuperclass: UInt32 = 1 << 29
    private static let isGeneric: UInt32 = 1 << 7
    /// In the flags of a property.
    private static let isVariable: UInt32 = 1 << 1

    private init(_ type: AnyClass) {
        metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        descriptor = metadata.load(
            fromByteOffset: Self.flagsOffset + 24, as: UnsafeRawPointer.self)
    }

    /// The description of `type`; `nil` if what it would say cannot be known.
    static func of(_ type: AnyClass) -> FieldOffsets? { isTrusted ? FieldOffsets(type) : nil }

    var instanceSize: Int {
        Int(metadata.load(fromByteOffset: Self.flagsOffset + 8, as: UInt32.self))
    }

    private func word(_ offset: Int) -> UInt32 {
        descriptor.load(fromByteOffset: offset, as: UInt32.self)
    }

    /// The properties that the class declares itself, in order; `nil` if they cannot be known.
    var properties: [Property]? {
        let count = Int(word(36))
        guard word(0) & Self.hasResilientSuperclass == 0 else { return nil }
        if count == 0 { return [] }
        guard let fields = Self.follow(descriptor + 16),
            fields.load(fromByteOffset: 12, as: UInt32.self) == UInt32(count)
        else { return nil }
        let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        let offsets = metadata + Int(word(40)) * MemoryLayout<Int>.size
        var found: [Property] = []
        for index in 0..<count {
            let record = fields + 16 + index * size
            guard let typeName = Self.follow(record + 4), let name = Self.follow(record + 8) else {
                return nil
            }
            found.append(
                Property(
                    offset: offsets.load(
                        fromByteOffset: index * MemoryLayout<Int>.size, as: Int.self),
                    isVariable: record.load(as: UInt32.self) & Self.isVariable != 0,
                    nameStart: name.assumingMemoryBound(to: CChar.self), typeName: typeName))
        }
        return found
    }

    /// Where a distance from itself leads; `nil` for none.
    private static func follow(_ address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = address.load(as: Int32.self)
        return distance == 0 ? nil : address + Int(distance)
    }

    /// Whether the names and offsets found for ``StoredObject`` are those of its properties.
    private static let isTrusted: Bool = {
        let object = StoredObject()
        guard let found = FieldOffsets(StoredObject.self).properties else { return false }
        let own = object.ownOffsets
        return found.count >= own.count
            && zip(found, own).allSatisfy {
                $0.name == $1.name && $0.offset == $1.offset && $0.isVariable
            }
    }()
}

// MARK: - Types

extension FieldOffsets {
    /// The type of `property` if that is a field wrapper. Other types are not made: that of a
    /// dictionary would have the runtime look for its key's conformances.
    func wrapper(of property: Property) -> Any.Type? {
        guard let start = Self.context(at: property.typeName), Self.wrappers.contains(start),
            let type = type(of: property),
            let descriptor = Self.descriptor(ofValue: type), Self.wrappers.contains(descriptor)
        else { return nil }
        return type
    }

    /// Whether an object owns what `property` refers to: it is not `weak` or `unowned`.
    func isOwner(_ property: Property) -> Bool {
        let name = UnsafeRawBufferPointer(
            start: property.typeName, count: Self.length(of: property.typeName))
        guard name.count > 2, name[name.count - 2] == UInt8(ascii: "X") else { return true }
        return !"wou".utf8.contains(name[name.count - 1])
    }

    /// The type of `property`; `nil` if it cannot be known. For `weak` and `unowned` ones, no type.
    func type(of property: Property) -> Any.Type? {
        let name = property.typeName
        var arguments: UnsafeRawPointer?
        if word(0) & Self.isGeneric != 0 {
            guard word(0) & Self.membersAreNegative == 0 else { return nil }
            arguments = metadata + (Int(word(28)) - Int(word(32))) * MemoryLayout<Int>.size
        }
        return _getTypeByMangledNameInContext(
            name.assumingMemoryBound(to: UInt8.self), UInt(Self.length(of: name)),
            genericContext: descriptor, genericArguments: arguments)
    }

    /// The length of a mangled name (`docs/ABI/Mangling.rst`, "Symbolic references").
    private static func length(of name: UnsafeRawPointer) -> Int {
        var length = 0
        while true {
            switch name.load(fromByteOffset: length, as: UInt8.self) {
            case 0: return length
            case 0x01...0x17: length += 5
            case 0x18...0x1F: length += 1 + MemoryLayout<Int>.size
            default: length += 1
            }
        }
    }

    /// The descriptor that a mangled name begins with; `nil` if it begins otherwise.
    private static func context(at name: UnsafeRawPointer) -> UInt? {
        let kind = name.load(as: UInt8.self)
        guard kind == 0x01 || kind == 0x02 else { return nil }
        let address = name + 1
        let target = address + Int(address.loadUnaligned(as: Int32.self))
        // The second is a reference by way of a pointer, to what another library has.
        return kind == 0x01 ? UInt(bitPattern: target) : target.load(as: UInt.self)
    }

    private static let wrappers: [UInt] = [
        descriptor(ofValue: Field<Bool>.self), descriptor(ofValue: One<StoredObject>.self),
        descriptor(ofValue: Many<StoredObject>.self),
    ].compactMap { $0 }

    /// The descriptor of `type`; `nil` if it is no struct.
    private static func descriptor(ofValue type: Any.Type) -> UInt? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: Int.self) == 0x200 else { return nil }
        return metadata.load(fromByteOffset: MemoryLayout<Int>.size, as: UInt.self)
    }
}
