/// The classes of a store by their types, found by address.
///
/// Not a dictionary: the first one with keys of a type has the runtime look through every protocol
/// conformance of the program, which is felt when a store is opened.
struct ClassesByType {
    /// At least twice as many slots as classes, a power of two.
    private var slots: [StoredClass?] = [StoredClass?](repeating: nil, count: 8)
    private var count = 0

    subscript(type: ObjectIdentifier) -> StoredClass? {
        var slot = slot(of: type)
        while let found = slots[slot] {
            if ObjectIdentifier(found.type) == type { return found }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a class whose type is not in yet.
    mutating func insert(_ storedClass: StoredClass) {
        count += 1
        if count * 2 > slots.count {
            let old = slots
            slots = [StoredClass?](repeating: nil, count: old.count * 2)
            for case let storedClass? in old { put(storedClass) }
        }
        put(storedClass)
    }

    private mutating func put(_ storedClass: StoredClass) {
        var slot = slot(of: ObjectIdentifier(storedClass.type))
        while slots[slot] != nil { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = storedClass
    }

    private func slot(of type: ObjectIdentifier) -> Int {
        // Types lie near each other, and their lowest bits are the same.
        let product = UInt(bitPattern: type) &* 0x9E37_79B1
        return Int(truncatingIfNeeded: product >> 16) & (slots.count - 1)
    }
}
