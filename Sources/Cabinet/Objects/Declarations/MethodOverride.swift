/// Which classes override `validate()`, found once for each class of a store, so that a save need
/// not ask objects of the others.
///
/// The source is the table of methods in the class's metadata (Swift's `docs/ABI/TypeMetadata.rst`,
/// "Class Metadata"). The slot of `validate()` in it is where a class that overrides only this
/// method differs from ``StoredObject``, and a class that overrides nothing does not. If that is
/// not exactly one slot, every class counts as one that overrides it: then a save makes calls that
/// do nothing, and no object escapes its validation.
enum ValidationOverride {
    static func exists(in type: StoredObject.Type) -> Bool {
        guard let slot else { return true }
        return word(of: type, at: slot) != word(of: StoredObject.self, at: slot)
    }

    private final class Overriding: StoredObject {
        override func validate() throws { throw StoreError.closed }
    }

    private final class Inheriting: StoredObject {}

    #if canImport(ObjectiveC)
        private static let flagsOffset = 40
    #else
        private static let flagsOffset = 16
    #endif

    /// The distance of the method's address from the beginning of the metadata, in bytes.
    private static let slot: Int? = {
        let metadata = unsafeBitCast(StoredObject.self as AnyClass, to: UnsafeRawPointer.self)
        let size = Int(metadata.load(fromByteOffset: flagsOffset + 16, as: UInt32.self))
        let front = Int(metadata.load(fromByteOffset: flagsOffset + 20, as: UInt32.self))
        // Behind the descriptor and the function that destroys stored properties.
        let first = flagsOffset + 40
        guard size - front > first, size < 1 << 16 else { return nil }
        let found = stride(from: first, to: size - front, by: MemoryLayout<UInt>.size).filter {
            word(of: Inheriting.self, at: $0) == word(of: StoredObject.self, at: $0)
                && word(of: Overriding.self, at: $0) != word(of: StoredObject.self, at: $0)
        }
        return found.count == 1 ? found[0] : nil
    }()

    private static func word(of type: StoredObject.Type, at slot: Int) -> UInt {
        unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
            .load(fromByteOffset: slot, as: UInt.self)
    }
}
