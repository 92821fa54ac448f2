import CabinetBackend
import Synchronization

/// Where objects of one class hold others: in `@One`, `@Many`, and own optionals or arrays.
///
/// `Sendable`: it does not change.
final class HeldReferences: Sendable {
    struct Slot: Sendable {
        let offset: Int
        /// Whether it is an array, else an optional.
        let isList: Bool
    }

    private let slots: [Slot]
    var isEmpty: Bool { slots.isEmpty }

    private init(_ slots: [Slot]) { self.slots = slots }

    // MARK: By class

    /// What is known of each class, found out when the first object of the class is freed.
    private static let known = Guarded(TypeTable<HeldReferences>())
    /// The class, met last among plain objects, whose objects hold nothing.
    private static let lastEmpty = Atomic<UInt>(0)

    static func of(_ type: StoredObject.Type) -> HeldReferences {
        known.withLock { known in
            let key = ObjectIdentifier(type)
            if let found = known[key] { return found }
            let new = HeldReferences(StoredProperties.slots(of: type))
            known.insert(new, for: key)
            return new
        }
    }

    /// Whether objects of `type` are known to hold nothing; `false` if that is not known yet.
    @inline(__always)
    static func isKnownEmpty(_ type: StoredObject.Type) -> Bool {
        lastEmpty.load(ordering: .relaxed) == UInt(bitPattern: ObjectIdentifier(type))
    }

    /// As ``release(from:)``, for an object that is in no store.
    @inline(never)
    static func releaseAll(of object: StoredObject) {
        let type = Swift.type(of: object)
        // It holds nothing, and what is known of a class is found by means of such an object.
        if type == StoredObject.self { return }
        let references = of(type)
        if references.isEmpty {
            lastEmpty.store(
                UInt(bitPattern: ObjectIdentifier(type)), ordering: .relaxed)
        } else {
            references.release(from: object)
        }
    }

    // MARK: Releasing

    /// Empties the slots of a freed object; what nothing else holds goes to the thread's queue.
    func release(from object: StoredObject) {
        guard let queue = ReleaseQueue.current else { return }
        let base = Unmanaged.passUnretained(object).toOpaque()
        var hasAdded = false
        for slot in slots {
            let isAdded =
                slot.isList
                ? Self.releaseList(at: base + slot.offset, queue)
                : Self.releaseOne(at: base + slot.offset, queue)
            hasAdded = hasAdded || isAdded
        }
        if hasAdded { queue.drain() }
    }

    /// `true` if something was added to `queue`.
    @inline(__always)
    private static func releaseOne(
        at slot: UnsafeMutableRawPointer, _ queue: ReleaseQueue
    ) -> Bool {
        // A reference has one layout for all classes.
        let one = slot.assumingMemoryBound(to: StoredObject?.self)
        if one.pointee == nil { return false }
        guard isKnownUniquelyReferenced(&one.pointee), let object = one.pointee.take() else {
            // Another slot of the same object may hold it too; that slot then holds it last.
            one.pointee = nil
            return false
        }
        queue.append(object)
        return true
    }

    @inline(__always)
    private static func releaseList(
        at slot: UnsafeMutableRawPointer, _ queue: ReleaseQueue
    ) -> Bool {
        // So has an array, which is an optional one with something in it.
        guard slot.load(as: UInt.self) != 0 else { return false }
        let list = slot.assumingMemoryBound(to: [StoredObject].self)
        if list.pointee.isEmpty { return false }
        #if !canImport(ObjectiveC)
            // An array's memory is an object that is counted as a stored one is; elsewhere it may
            // be one of another runtime.
            let memory = slot.assumingMemoryBound(to: StoredObject.self)
            guard isKnownUniquelyReferenced(&memory.pointee) else {
                list.pointee = []
                return false
            }
        #endif
        queue.append(list.pointee)
        list.pointee = []
        return true
    }
}

extension StoredClass {
    @inline(never)
    func releaseReferences(of object: StoredObject) {
        let references = heldReferences ?? HeldReferences.of(type)
        heldReferences = references
        mayHoldObjects = !references.isEmpty
        if mayHoldObjects { references.release(from: object) }
    }
}
