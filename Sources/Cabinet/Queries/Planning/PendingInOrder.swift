import CabinetBackend

/// The pending objects that a query in the order of an index has to merge in.
final class PendingInOrder {
    /// One that meets the condition, and its key.
    struct Element {
        let key: [UInt8]
        let object: StoredObject

        /// Whether it comes before a row with that key.
        func isBefore(_ other: [UInt8], _ row: RowID, _ isDescending: Bool) -> Bool {
            if key == other { return object.rowID < row }
            return key.lexicographicallyPrecedes(other) != isDescending
        }
    }

    /// The rows of all pending objects of the class: what an index has of them does not count.
    let rows: Set<RowID>
    /// In reverse order.
    private var elements: [Element] = []

    /// More of them are not merged.
    private static var most: Int { 4096 }

    /// `nil` if they are too many.
    init?(_ store: Store, _ scan: OrderedScan, _ filter: Filter) throws {
        let storedClass = scan.index.storedClass
        let pending = store.overlay.pending(of: storedClass)
        guard pending.objects.count <= Self.most else { return nil }
        rows = pending.rows
        if pending.objects.isEmpty { return }
        let candidate = Candidate(store, store.fields(of: storedClass))
        let keys = IndexKeys()
        for object in pending.objects where !object.state.contains(.deleted) {
            candidate.take(object)
            guard try filter.accepts(candidate) else { continue }
            try keys.withKey(of: scan.index, candidate) { key in
                guard let key else { return }
                if key.isCut { throw OrderedWalk.CutKey() }
                let parts = key.isAlone ? key.bytes[...] : key.bytes.dropLast(OrderedKey.rowSize)
                elements.append(Element(key: Array(parts), object: object))
            }
        }
        elements.sort { $1.isBefore($0.key, $0.object.rowID, scan.isDescending) }
    }

    /// The next one.
    var first: Element? { elements.last }

    func removeFirst() -> StoredObject { elements.removeLast().object }
}
