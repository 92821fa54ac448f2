import CabinetBackend

/// The objects with pending changes that a walk in the order of an index has to meet.
final class PendingInOrder {
    private struct Element {
        let key: [UInt8]
        let row: RowID

        /// Whether it comes before a row with that key.
        func isBefore(_ other: [UInt8], _ row: RowID, _ isDescending: Bool) -> Bool {
            if key == other { return self.row < row }
            return key.lexicographicallyPrecedes(other) != isDescending
        }
    }

    /// The rows of all of them: what an index has of them does not count.
    let rows: Set<RowID>
    /// Those that are not deleted, in reverse order.
    private var elements: [Element] = []

    /// With more of them, no walk is made.
    static var most: Int { 4096 }

    /// - Throws: ``OrderedWalk/Unusable`` if a key lacks its end.
    init(_ store: Store, _ scan: OrderedScan) throws {
        let storedClass = scan.index.storedClass
        let pending = store.pending(of: storedClass)
        rows = pending.rows
        if pending.objects.isEmpty { return }
        let cursor = RowCursor(store, store.fields(of: storedClass))
        let keys = IndexKeys()
        for object in pending.objects {
            cursor.take(object)
            try keys.withKey(of: scan.index, cursor) { key in
                guard let key else { return }
                if key.isCut { throw OrderedWalk.Unusable() }
                let parts = key.isAlone ? key.bytes[...] : key.bytes.dropLast(OrderedKey.rowSize)
                elements.append(Element(key: Array(parts), row: object.rowID))
            }
        }
        elements.sort { $1.isBefore($0.key, $0.row, scan.isDescending) }
    }

    /// The next one, and its key, if it comes before a row with that key.
    func next(
        before key: [UInt8], _ row: RowID, _ isDescending: Bool
    ) -> (row: RowID, key: [UInt8])? {
        guard elements.last?.isBefore(key, row, isDescending) == true else { return nil }
        return next()
    }

    /// The next one, and its key.
    func next() -> (row: RowID, key: [UInt8])? { elements.popLast().map { ($0.row, $0.key) } }
}
