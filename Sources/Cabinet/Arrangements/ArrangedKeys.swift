import CabinetBackend

/// The keys of all parts of an arrangement in one order: equal ones of several parts in the order of
/// these.
struct ArrangedKeys {
    /// A key with its row, and the part that it is of.
    struct Entry {
        let key: [UInt8]
        let part: Int
        /// `nil` for bytes that are no key of an index.
        var row: RowID? { key.withUnsafeBytes { OrderedKey.row(of: $0) } }
    }

    let parts: [ClassIndex]
    private let lists: [KeyList]

    /// - Parameter includesPending: whether pending changes are laid over what is saved.
    /// - Throws: also, if they are not, ``StoreError/incompleteIndexes(_:)`` for a part that lacks records.
    init(_ store: Store, _ parts: [ClassIndex], includesPending: Bool) throws {
        self.parts = parts
        var lists: [KeyList] = []
        for (part, index) in parts.enumerated() {
            index.uses += 1
            guard index.isComplete, let table = index.table else {
                let isWhole = try store.reading { reader throws(BackendError) in
                    try reader.count(of: index.storedClass.table) == 0
                }
                guard includesPending || isWhole else {
                    throw StoreError.incompleteIndexes([index.fullName])
                }
                let objects =
                    includesPending ? try store.objects(of: index.storedClass.type) : []
                lists.append(
                    KeyList(try Self.keys(of: objects, index, store), store, part: part))
                continue
            }
            guard includesPending, store.overlay.hasPending(of: index.storedClass) else {
                lists.append(KeyList(table, without: [], store, part: part))
                continue
            }
            let (former, present) = try Self.pendingKeys(of: index, store)
            lists.append(KeyList(table, without: former, store, part: part))
            lists.append(KeyList(present, store, part: part))
        }
        self.lists = lists
    }

    /// The keys that pending objects have in the table, and those that they would have now.
    static func pendingKeys(
        of index: ClassIndex, _ store: Store
    ) throws -> (former: [[UInt8]], present: [[UInt8]]) {
        let pending = try PendingKeys(store, index, most: .max)
        return (pending.former, try keys(of: pending.objects, index, store))
    }

    /// The keys of objects in memory, in their order.
    private static func keys(
        of objects: [StoredObject], _ index: ClassIndex, _ store: Store
    ) throws -> [[UInt8]] {
        let cursor = RowCursor(store, store.fields(of: index.storedClass))
        let keys = IndexKeys()
        var found: [[UInt8]] = []
        for object in objects {
            try store.load(object)
            cursor.take(object)
            try keys.withKey(of: index, cursor) {
                if let key = $0 { found.append([UInt8](key.bytes)) }
            }
        }
        return found.inOrder { $0.lexicographicallyPrecedes($1) }
    }

    var count: Int {
        get throws(BackendError) {
            var count = 0
            for list in lists { count += try list.count }
            return count
        }
    }

    /// How many stand before `key` of a part; without one, before that of the first.
    func count(before key: [UInt8], of part: Int = 0) throws(BackendError) -> Int {
        var count = 0
        // Equal keys of earlier parts stand before it, too.
        for list in lists { count += try list.count(before: list.part < part ? key + [0] : key) }
        return count
    }

    /// Where the keys of a range stand.
    func places(of range: KeyRange) throws(BackendError) -> Range<Int> {
        var (lower, upper) = (0, try count)
        if let key = range.lower { lower = try count(before: key) }
        if let key = range.upper { upper = try count(before: key) }
        return lower..<max(upper, lower)
    }

    /// The entry before which `offset` others stand; `nil` if there are not as many.
    func entry(at offset: Int) throws(BackendError) -> Entry? {
        if lists.count == 1 {
            return try lists[0].key(at: offset).map { Entry(key: $0, part: lists[0].part) }
        }
        for list in lists {
            var (low, high) = (0, try list.count)
            while low < high {
                let middle = (low + high) / 2
                guard let key = try list.key(at: middle) else { break }
                let place = try count(before: key, of: list.part)
                if place == offset { return Entry(key: key, part: list.part) }
                if place < offset { low = middle + 1 } else { high = middle }
            }
        }
        return nil
    }

    /// The entries at some places, in their order.
    func entries(at places: Range<Int>) throws -> [Entry] {
        guard !places.isEmpty, let first = try entry(at: places.lowerBound) else { return [] }
        if places.count == 1 { return [first] }
        let walks = try lists.map { list in
            try KeyList.Walk(
                list, from: list.part < first.part ? first.key + [0] : first.key,
                step: places.count)
        }
        var found: [Entry] = []
        found.reserveCapacity(places.count)
        while found.count < places.count {
            var best: (walk: KeyList.Walk, key: [UInt8])?
            for walk in walks {
                guard let key = walk.next else { continue }
                if let known = best {
                    if known.key.lexicographicallyPrecedes(key) { continue }
                    if known.key == key, known.walk.part < walk.part { continue }
                }
                best = (walk, key)
            }
            guard let best else { break }
            found.append(Entry(key: best.key, part: best.walk.part))
            try best.walk.advance()
        }
        return found
    }
}
