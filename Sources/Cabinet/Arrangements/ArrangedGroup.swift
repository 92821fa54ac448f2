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

extension ArrangedGroup {
    /// Below 0 if it stands before `other`, 0 if both are the same group.
    func compare(to other: ArrangedGroup) -> Int {
        prefix == other.prefix ? 0 : prefix.lexicographicallyPrecedes(other.prefix) ? -1 : 1
    }
}

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

    /// The groups of a list once keys have left it and others have entered it.
    /// - Parameter groups: those of the list before, in ascending order.
    func groups<Key: OrderedKeyValue>(
        _ groups: [ArrangedGroup<Key>], without leaving: [[UInt8]], with entering: [[UInt8]]
    ) throws -> [ArrangedGroup<Key>] {
        var steps: [[UInt8]: (key: Key, count: Int)] = [:]
        for (keys, step) in [(leaving, -1), (entering, 1)] {
            for key in keys {
                let (value, prefix) = try group(of: key, Key.self)
                steps[prefix, default: (value, 0)].count += step
            }
        }
        var found: [ArrangedGroup<Key>] = []
        func add(_ key: Key, _ count: Int, _ prefix: [UInt8]) {
            if count > 0 { found.append(ArrangedGroup(key: key, count: count, prefix: prefix)) }
        }
        var changed = steps.sorted { $0.key.lexicographicallyPrecedes($1.key) }[...]
        for group in groups {
            while let next = changed.first, next.key.lexicographicallyPrecedes(group.prefix) {
                add(next.value.key, next.value.count, next.key)
                changed.removeFirst()
            }
            let isChanged = changed.first?.key == group.prefix
            let step = isChanged ? changed.removeFirst().value.count : 0
            add(group.key, group.count + step, group.prefix)
        }
        for next in changed { add(next.value.key, next.value.count, next.key) }
        return found
    }
}

extension Array {
    /// Where the objects of each of the groups stand in the list of all.
    func ranges<Key>() -> [Range<Int>] where Element == ArrangedGroup<Key> {
        var end = 0
        return map { group in
            defer { end += group.count }
            return end..<end + group.count
        }
    }
}
