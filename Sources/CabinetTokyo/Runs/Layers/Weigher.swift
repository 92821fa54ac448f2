import CabinetBackend

/// Finds out for keys that come in ascending order whether the layers below have them.
struct Weigher {
    /// Past this many steps the next key is looked for from above.
    private static let nearby = 8

    private let below: LayerCursor?
    private var isBegun = false

    /// - Parameter below: the layers below; `nil` if there are none.
    init(_ below: LayerCursor?) { self.below = below }

    /// Whether the layers below have `key`, which must not come before the one asked for last.
    mutating func contains(_ key: UnsafeRawBufferPointer) throws(BackendError) -> Bool {
        guard let below else { return false }
        if isBegun {
            var steps = 0
            while below.isAtEntry, KeyOrder.order(below.key, key) < 0 {
                guard steps < Self.nearby else {
                    try below.seek(key)
                    break
                }
                try below.next()
                steps += 1
            }
        } else {
            try below.seek(key)
            isBegun = true
        }
        return below.isAtEntry && !below.isDelete && KeyOrder.areEqual(below.key, key)
    }
}
