import CabinetBackend

/// The records that a commit replaces or removes, of the classes whose followers compare with them.
///
/// Each is read once, whatever follows its class, and most are read ahead of the write, some hundreds with
/// one call of the engine. Not `Sendable`: its store's. It holds a run of records for each of those classes
/// while a commit is made.
final class SavedRecords {
    private unowned let store: Store
    @exclusivity(unchecked) private var classes:
        [(storedClass: StoredClass, lookup: RecordLookup)] = []

    /// How many objects are looked at before the first of them is written.
    static let window = 512

    init(_ store: Store) { self.store = store }

    fileprivate func lookAhead(at objects: PendingObjects, in part: Range<Int>) {
        for known in classes { known.lookup.begin() }
        objects.forEachHeld(in: part) { object in
            guard object.state.isDisjoint(with: .inserted) else { return }
            object.withStoredClass { storedClass in
                guard storedClass.isCompared else { return }
                lookup(of: storedClass).append(object.rowID)
            }
        }
    }

    private func lookup(of storedClass: StoredClass) -> RecordLookup {
        if let known = classes.first(where: { $0.storedClass === storedClass }) {
            return known.lookup
        }
        let lookup = RecordLookup(of: storedClass)
        classes.append((storedClass, lookup))
        return lookup
    }

    /// The record in a row as of the store's basis, until the next call.
    func record(of row: RowID, _ storedClass: StoredClass) throws(BackendError) -> SavedRecord {
        try lookup(of: storedClass).record(of: row, in: store)
    }

    /// Frees what was read for a commit, except what a small one needs.
    func didWrite() {
        if classes.isEmpty { return }
        for known in classes { known.lookup.begin() }
        classes.removeAll { $0.lookup.isLarge }
    }
}

extension Store {
    /// Calls `body` with each of `objects` from `start` on, which the commit writes or removes,
    /// mostly in order.
    @inline(__always)
    func forEachAhead(
        _ objects: PendingObjects, from start: Int = 0, _ body: (StoredObject) throws -> Void
    ) throws {
        var first = start
        while first < objects.count {
            var part = first..<objects.count
            if comparesRecords {
                part = first..<min(first + SavedRecords.window, objects.count)
                savedRecords.lookAhead(at: objects, in: part)
            }
            try objects.forEachHeld(in: part, body)
            first = part.upperBound
        }
    }
}
