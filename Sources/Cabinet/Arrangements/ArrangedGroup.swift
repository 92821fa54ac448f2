import CabinetBackend

/// One group of an arrangement, and how many objects it has.
public struct ArrangedGroup<Key> {
    /// The value that all of its objects have.
    public let key: Key
    /// How many objects there are, at least one.
    public let count: Int
    /// What all their keys begin with.
    let prefix: [UInt8]
}

extension ArrangedGroup: Sendable where Key: Sendable {}

extension ArrangedKeys {
    /// What keys of the group of `value` begin with.
    /// - Throws: ``OrderedKeyError/cut``
    func prefix<Key: OrderedKeyValue>(of value: Key) throws(OrderedKeyError) -> [UInt8] {
        let key = OrderedKey(value)
        if key.isCut { throw .cut }
        return key.bytes
    }

    /// The group of a key, and what all keys of the group begin with.
    func group<Key: OrderedKeyValue>(
        of key: [UInt8], _ type: Key.Type
    ) throws(OrderedKeyError) -> (key: Key, prefix: [UInt8]) {
        try key.withUnsafeBufferPointer { bytes throws(OrderedKeyError) in
            let parts = UnsafeRawBufferPointer(bytes).dropLast(OrderedKey.rowSize)
            var reader = OrderedKeyReader(UnsafeRawBufferPointer(rebasing: parts))
            let value = try reader.read(Key.self)
            return (value, [UInt8](parts.prefix(reader.position)))
        }
    }

    /// All groups, in their order.
    func groups<Key: OrderedKeyValue>(_ type: Key.Type) throws -> [ArrangedGroup<Key>] {
        var found: [ArrangedGroup<Key>] = []
        var start = 0
        while let entry = try entry(at: start) {
            let (key, prefix) = try group(of: entry.key, type)
            let end = try KeyRange(prefix: prefix).upper.map { try count(before: $0) } ?? count
            // The entry is one of its own group.
            found.append(ArrangedGroup(key: key, count: max(end - start, 1), prefix: prefix))
            start = max(end, start + 1)
        }
        return found
    }
}
