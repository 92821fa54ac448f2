extension OrderedTable {
    /// Adds the entries from `start` on to `run`, at most `limit`, until it is full or `upper` is
    /// reached. Returns the last key added if there may be more, or `nil` when no key is left.
    package func fill(
        _ run: EntryRun, limit: Int, from start: Bound?, before upper: [UInt8]?
    ) -> [UInt8]? {
        guard !leaves.isEmpty else { return nil }
        var (place, index) = position(from: start)
        var left = max(limit, 1)
        return withOptionalBytes(of: upper) { upper in
            while place < leaves.count {
                let leaf = leaves[place]
                while index < leaf.count {
                    let key = leaf.key(at: index)
                    if let upper, KeyOrder.order(key, upper) >= 0 { return nil }
                    run.append(key, leaf.value(at: index))
                    left &-= 1
                    if run.isFull || left == 0 { return [UInt8](key) }
                    index += 1
                }
                place += 1
                index = 0
            }
            return nil
        }
    }

    /// Adds the entries before `end` to `run`, the last one first, at most `limit`, until it is
    /// full or `lower` is passed. Returns the last key added if there may be more, or `nil` when no
    /// key is left.
    package func fillBackwards(
        _ run: EntryRun, limit: Int, before end: [UInt8]?, downTo lower: [UInt8]?
    ) -> [UInt8]? {
        guard !leaves.isEmpty else { return nil }
        var (place, index) = position(before: end)
        var left = max(limit, 1)
        return withOptionalBytes(of: lower) { lower in
            while true {
                let leaf = leaves[place]
                while index > 0 {
                    index -= 1
                    let key = leaf.key(at: index)
                    if let lower, KeyOrder.order(key, lower) < 0 { return nil }
                    run.append(key, leaf.value(at: index))
                    left &-= 1
                    if run.isFull || left == 0 { return [UInt8](key) }
                }
                guard place > 0 else { return nil }
                place -= 1
                index = leaves[place].count
            }
        }
    }

    /// How many keys lie from `lower` on and before `upper`; costs a look at each leaf between.
    package func count(in range: KeyRange) -> Int {
        guard !leaves.isEmpty else { return 0 }
        let first = position(from: range.lower.map { Bound(key: $0, isPassed: false) })
        let end = position(before: range.upper)
        guard (first.place, first.index) < (end.place, end.index) else { return 0 }
        var count = end.index - first.index
        for place in first.place..<end.place { count += leaves[place].count }
        return count
    }

    /// The key before which `offset` others stand; `nil` if there are not as many. Costs a look at
    /// each leaf before it.
    package func key(at offset: Int) -> [UInt8]? {
        guard offset >= 0, offset < count else { return nil }
        var left = offset
        for leaf in leaves {
            if left < leaf.count { return [UInt8](leaf.key(at: left)) }
            left -= leaf.count
        }
        return nil
    }

    /// Where the first entry from `start` on is, or would be at the end of a leaf.
    func position(from start: Bound?) -> (place: Int, index: Int) {
        guard let start, !leaves.isEmpty else { return (0, 0) }
        return start.key.withUnsafeBytes { key in
            let place = leafIndex(for: key)
            let found = leaves[place].find(key)
            return (place, found.index + (found.isThere && start.isPassed ? 1 : 0))
        }
    }

    /// Where the entry that follows the last one before `end` is, or would be.
    func position(before end: [UInt8]?) -> (place: Int, index: Int) {
        guard !leaves.isEmpty else { return (0, 0) }
        guard let end else { return (leaves.count - 1, leaves[leaves.count - 1].count) }
        return end.withUnsafeBytes { key in
            let place = leafIndex(for: key)
            return (place, leaves[place].find(key).index)
        }
    }

    private func withOptionalBytes(
        of bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> [UInt8]?
    ) -> [UInt8]? {
        guard let bytes else { return body(nil) }
        return bytes.withUnsafeBytes { body($0) }
    }
}

/// Where a walk over keys goes on.
package struct Bound {
    package var key: [UInt8]
    /// Whether `key` itself was met already.
    package var isPassed: Bool

    package init(key: [UInt8], isPassed: Bool) {
        self.key = key
        self.isPassed = isPassed
    }
}

/// A walk over a table's entries, one at a time, while the table does not change.
struct EntryWalk {
    private let table: OrderedTable?
    private let isDescending: Bool
    private var place: Int
    private var index: Int

    /// Up from `start`, or down from the last entry before `end`.
    init(_ table: OrderedTable?, from start: Bound?) {
        self.table = table
        isDescending = false
        (place, index) = table?.position(from: start) ?? (0, 0)
        findEntry()
    }

    init(_ table: OrderedTable?, before end: [UInt8]?) {
        self.table = table
        isDescending = true
        (place, index) = table?.position(before: end) ?? (0, 0)
        findEntry()
    }

    /// The entry the walk is at; `nil` at the end. Its bytes live until the table changes.
    var entry: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard let table, place >= 0, place < table.leaves.count else { return nil }
        let leaf = table.leaves[place]
        let index = isDescending ? index - 1 : index
        return (leaf.key(at: index), leaf.value(at: index))
    }

    mutating func advance() {
        index += isDescending ? -1 : 1
        findEntry()
    }

    /// Goes on to the next leaf where this one has no entry left.
    private mutating func findEntry() {
        guard let table, place >= 0, place < table.leaves.count else { return }
        if isDescending, index == 0 {
            place -= 1
            index = place >= 0 ? table.leaves[place].count : 0
        } else if !isDescending, index == table.leaves[place].count {
            place += 1
            index = 0
        }
    }
}
