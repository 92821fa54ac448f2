/// Values by types, found by the types' addresses. Not a dictionary: the first one with keys of a
/// type has the runtime look through every protocol conformance of the program, which is felt when
/// a store is opened.
struct TypeTable<Value> {
    fileprivate struct Slot {
        let type: ObjectIdentifier
        let value: Value
    }

    /// At least twice as many slots as values, a power of two.
    private var slots: [Slot?] = [Slot?](repeating: nil, count: 8)
    private var count = 0

    subscript(type: ObjectIdentifier) -> Value? {
        var slot = slot(of: type)
        while let found = slots[slot] {
            if found.type == type { return found.value }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    mutating func insert(_ value: Value, for type: ObjectIdentifier) {
        count += 1
        if count * 2 > slots.count {
            let old = slots
            slots = [Slot?](repeating: nil, count: old.count * 2)
            for case let slot? in old { put(slot) }
        }
        put(Slot(type: type, value: value))
    }

    private mutating func put(_ new: Slot) {
        var slot = slot(of: new.type)
        while slots[slot] != nil { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = new
    }

    private func slot(of type: ObjectIdentifier) -> Int {
        // Types lie near each other, and their lowest bits are the same.
        let product = UInt(bitPattern: type) &* 0x9E37_79B1
        return Int(truncatingIfNeeded: product >> 16) & (slots.count - 1)
    }
}

extension TypeTable: Sendable where Value: Sendable {}
extension TypeTable.Slot: Sendable where Value: Sendable {}
