/// The classes of a store by their types, found by address.
///
/// Not a dictionary: the first one with keys of a type has the runtime look through every protocol
/// conformance of the program, which is felt when a store is opened.
struct ClassesByType {
    /// Twice as many places as classes at least, a power of two.
    private var places: [StoredClass?] = [StoredClass?](repeating: nil, count: 8)
    private var count = 0

    subscript(type: ObjectIdentifier) -> StoredClass? {
        var place = place(of: type)
        while let found = places[place] {
            if ObjectIdentifier(found.type) == type { return found }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// Adds a class whose type is not in yet.
    mutating func insert(_ home: StoredClass) {
        count += 1
        if count * 2 > places.count {
            let old = places
            places = [StoredClass?](repeating: nil, count: old.count * 2)
            for case let home? in old { put(home) }
        }
        put(home)
    }

    private mutating func put(_ home: StoredClass) {
        var place = place(of: ObjectIdentifier(home.type))
        while places[place] != nil { place = (place + 1) & (places.count - 1) }
        places[place] = home
    }

    private func place(of type: ObjectIdentifier) -> Int {
        // Types lie near each other, and their lowest bits are the same.
        let product = UInt(bitPattern: type) &* 0x9E37_79B1
        return Int(truncatingIfNeeded: product >> 16) & (places.count - 1)
    }
}
