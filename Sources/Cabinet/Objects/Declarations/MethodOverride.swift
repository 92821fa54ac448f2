/// Which classes override a method of ``StoredObject``, found once for each class of a store: so that a
/// save need not ask objects of classes without a `validate()` of their own.
///
/// The source is the table of methods in the class's metadata (Swift's `docs/ABI/TypeMetadata.rst`,
/// "Class Metadata"): a method's slot is where a class that overrides only this method differs from
/// ``StoredObject``. If that is not exactly one, every class counts as overriding it: no object
/// escapes its validation.
struct MethodOverride: Sendable {
    static let validation = MethodOverride(of: Validating.self)
    static let upgrade = MethodOverride(of: Upgrading.self)

    /// The distance of the method's address from the beginning of the metadata, in bytes.
    private let slot: Int?

    func exists(in type: StoredObject.Type) -> Bool {
        guard let slot else { return true }
        return Self.word(of: type, at: slot) != Self.word(of: StoredObject.self, at: slot)
    }

    private final class Validating: StoredObject {
        override func validate() throws { throw StoreError.closed }
    }

    private final class Upgrading: StoredObject {
        override func upgrade(from record: RawRecord) throws { throw StoreError.closed }
    }

    private final class Inheriting: StoredObject {}

    #if canImport(ObjectiveC)
        private static let flagsOffset = 40
    #else
        private static let flagsOffset = 16
    #endif

    /// - Parameter overriding: a class that overrides this method alone.
    private init(of overriding: StoredObject.Type) {
        let metadata = unsafeBitCast(StoredObject.self as AnyClass, to: UnsafeRawPointer.self)
        let size = Int(metadata.load(fromByteOffset: Self.flagsOffset + 16, as: UInt32.self))
        let front = Int(metadata.load(fromByteOffset: Self.flagsOffset + 20, as: UInt32.self))
        // Behind the descriptor and the function that destroys stored properties.
        let first = Self.flagsOffset + 40
        guard size - front > first, size < 1 << 16 else {
            slot = nil
            return
        }
        let found = stride(from: first, to: size - front, by: MemoryLayout<UInt>.size).filter {
            let plain = Self.word(of: StoredObject.self, at: $0)
            return Self.word(of: Inheriting.self, at: $0) == plain
                && Self.word(of: overriding, at: $0) != plain
        }
        slot = found.count == 1 ? found[0] : nil
    }

    private static func word(of type: StoredObject.Type, at slot: Int) -> UInt {
        unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
            .load(fromByteOffset: slot, as: UInt.self)
    }
}
