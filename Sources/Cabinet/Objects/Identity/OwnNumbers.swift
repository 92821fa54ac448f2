import CabinetBackend

/// The numbers of objects whose `id` was asked for outside a store: few have one.
enum OwnNumbers {
    private struct Numbers {
        var last: UInt64 = 0
        var byObject: [ObjectIdentifier: UInt64] = [:]
    }

    /// For objects of all isolation domains.
    private static let numbers = Guarded(Numbers())

    /// The number of `object`, which gets one if it has none.
    static func number(of object: StoredObject) -> UInt64 {
        let key = ObjectIdentifier(object)
        let isNew = !object.state.contains(.numbered)
        object.state.formUnion(.numbered)
        return numbers.withLock { numbers in
            if !isNew, let number = numbers.byObject[key] { return number }
            numbers.last += 1
            numbers.byObject[key] = numbers.last
            return numbers.last
        }
    }

    static func forget(_ object: StoredObject) {
        let key = ObjectIdentifier(object)
        numbers.withLock { $0.byObject[key] = nil }
    }
}
