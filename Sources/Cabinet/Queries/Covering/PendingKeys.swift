import CabinetBackend

/// What the pending objects of a class are to an index: its keys of them do not count.
struct PendingKeys {
    /// Those that are not deleted.
    let objects: [StoredObject]
    /// The rows of all of them.
    let rows: Set<RowID>
    /// The keys that the index has of them, in their order.
    let former: [[UInt8]]

    /// More of them a query does not look up.
    static var most: Int { 4096 }

    /// - Parameter most: with more of them, none is looked up.
    /// - Throws: ``RowCursor/NotInEntry`` if they are too many, or the index may have several keys for
    ///   each.
    init(_ store: Store, _ index: ClassIndex, most: Int = Self.most) throws {
        let storedClass = index.storedClass
        (objects, rows) = store.pending(of: storedClass)
        guard !rows.isEmpty else {
            former = []
            return
        }
        guard rows.count <= most, !index.index.isMultiple else { throw RowCursor.NotInEntry() }
        let cursor = RowCursor(store, store.fields(of: storedClass), ofRecords: true)
        let keys = IndexKeys()
        var found: [[UInt8]] = []
        try store.forEachRecord(at: Array(rows), of: storedClass) { row, bytes in
            guard try cursor.take(bytes, at: row) else { return }
            try keys.withKey(of: index, cursor) { key in
                if let key { found.append(Array(key.bytes)) }
            }
        }
        former = found.inOrder { $0.lexicographicallyPrecedes($1) }
    }

    /// How many keys of pending objects the index has in `range`.
    func formerCount(in range: KeyRange) -> Int {
        if former.isEmpty { return 0 }
        let end = range.upper.map(former.count(before:)) ?? former.count
        return max(end - (range.lower.map(former.count(before:)) ?? 0), 0)
    }
}

extension [[UInt8]] {
    /// How many of the keys, which are in order, stand before one.
    func count(before key: [UInt8]) -> Int {
        partitioningIndex { !$0.lexicographicallyPrecedes(key) }
    }
}
