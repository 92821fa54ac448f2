/// Where the stored properties of a class lie in its objects.
///
/// The source is the table of offsets that the compiler lays into each class (Swift's
/// `docs/ABI/TypeMetadata.rst`, "Class Metadata" and "Nominal Type Descriptor"). It is believed
/// only after it gave the true addresses of ``StoredObject``'s own properties, and only if names,
/// sizes and alignments fit; otherwise the class is refused, and no memory is touched.
struct FieldOffsets {
    private let metadata: UnsafeRawPointer
    private let descriptor: UnsafeRawPointer

    #if canImport(ObjectiveC)
        private static let flagsOffset = 40
    #else
        private static let flagsOffset = 16
    #endif
    private static let hasResilientSuperclass: UInt32 = 1 << 29

    private init(_ type: AnyClass) {
        metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        descriptor = metadata.load(
            fromByteOffset: Self.flagsOffset + 24, as: UnsafeRawPointer.self)
    }

    private var instanceSize: Int {
        Int(metadata.load(fromByteOffset: Self.flagsOffset + 8, as: UInt32.self))
    }

    /// The offsets of the properties that `type` itself declares, in their order; `nil` if there
    /// are not `count`, or if they cannot be known.
    private func offsets(count: Int) -> [Int]? {
        let flags = descriptor.load(as: UInt32.self)
        let found = descriptor.load(fromByteOffset: 36, as: UInt32.self)
        guard flags & Self.hasResilientSuperclass == 0, Int(found) == count else { return nil }
        let words = Int(descriptor.load(fromByteOffset: 40, as: UInt32.self))
        return (0..<count).map {
            metadata.load(
                fromByteOffset: (words + $0) * MemoryLayout<Int>.size, as: Int.self)
        }
    }

    /// The offsets of what `level` shows of an object: the stored properties of one class.
    ///
    /// `nil` if they cannot be known.
    static func offsets(of level: Mirror) -> [Int]? {
        guard isTrusted, let type = level.subjectType as? AnyClass else { return nil }
        let table = FieldOffsets(type)
        guard let offsets = table.offsets(count: level.children.count) else { return nil }
        var end = MemoryLayout<Int>.size * 2
        for (offset, child) in zip(offsets, level.children) {
            guard let field = child.value as? any DeclaredField else { continue }
            let (size, alignment) = Swift.type(of: field).layout
            guard offset >= end, offset % alignment == 0, offset + size <= table.instanceSize else {
                return nil
            }
            end = offset + size
        }
        return offsets
    }

    /// Whether the offsets that are found for ``StoredObject`` are where its properties lie.
    private static let isTrusted: Bool = {
        let object = StoredObject()
        let own = object.ownOffsets
        let found = FieldOffsets(StoredObject.self).offsets(
            count: Mirror(reflecting: object).children.count)
        return found?.prefix(own.count) == own[...]
    }()
}

extension DeclaredField {
    fileprivate static var layout: (size: Int, alignment: Int) {
        (MemoryLayout<Self>.size, MemoryLayout<Self>.alignment)
    }
}
