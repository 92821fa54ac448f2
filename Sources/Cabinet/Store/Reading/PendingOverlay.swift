import CabinetBackend

/// What pending changes make of what is saved. Fetches, counts, walks and searches for referrers
/// merge the two here and nowhere else.
struct PendingOverlay {
    private let changes: ChangeSet

    init(_ store: Store) { changes = store.changes }

    /// How many objects of `storedClass` there are, of which `saved` have a record.
    func count(of storedClass: StoredClass, saved: Int) -> Int {
        saved + storedClass.pendingInserts - storedClass.pendingDeletes
    }

    /// The objects of `storedClass` without a record, in the order in which they came.
    func inserted(of storedClass: StoredClass) -> [StoredObject] {
        guard storedClass.pendingInserts > 0 else { return [] }
        return changes.objects.filter {
            $0.state.contains(.inserted) && $0.storedClass === storedClass
        }
    }

    var hasPending: Bool { changes.pendingCount > 0 }

    func hasPending(of storedClass: StoredClass) -> Bool {
        guard hasPending else { return false }
        return changes.objects.contains {
            $0.state.isPending && $0.storedClass === storedClass
        }
    }

    /// Calls `body` with each object that the next save has something to do for.
    func forEachPending(_ body: (StoredObject) -> Void) {
        changes.objects.forEachHeld { if $0.state.isPending { body($0) } }
    }

    /// Whether an object has changes that the record in `row` does not know of.
    func covers(_ row: RowID, of storedClass: StoredClass) -> Bool {
        storedClass.existing(row)?.state.isPending == true
    }

    /// Whether what is saved of `object` counts: it has no pending changes and was not deleted.
    func leaves(_ object: StoredObject) -> Bool {
        !object.state.isPending && !object.state.contains(.deleted)
    }

    /// Calls `body` with each object that was inserted or changed, and its class.
    func forEachChanged(_ body: (StoredObject, StoredClass) throws -> Void) rethrows {
        for object in changes.objects where object.isChanged && !object.state.contains(.fault) {
            if let storedClass = object.storedClass { try body(object, storedClass) }
        }
    }
}

extension Store {
    var overlay: PendingOverlay { PendingOverlay(self) }
}
