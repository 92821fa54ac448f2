import CabinetBackend

/// Keeps a delete and a new reference to what it deletes, by two stores, from being committed one
/// after the other without either knowing of the other.
extension ReferrerTable {
    /// Whether other stores may delete what owners of a commit come to refer to.
    var protectsTargets: Bool { store.isIsolated && store.slot.isShared }

    /// An owner in `batch` refers to `target` newly: it must still be there, and a delete of another
    /// store that has not seen the reference must find a conflict.
    ///
    /// The batch blindly deletes a key that is never there: nothing of it is kept, and stores that come to
    /// refer to one object do not conflict.
    func protect(_ target: ClassRow, in batch: WriteBatch, _ table: TableNumber) throws {
        guard protected.insert(target).inserted, try store.require(target, in: batch)
        else { return }
        ReferrerKeys.arrival(at: target).withUnsafeBytes { batch.deleteBlindly($0, in: table) }
    }

    /// Requires that no other store has come to refer to what `commit` deletes since the store has
    /// seen what others have saved.
    func requireNoArrivals(in commit: Commit) throws {
        guard commit.isSave, store.isIsolated, store.slot.isShared, hasPendingDeletes else {
            return
        }
        let table = try definedTable(in: commit.batch)
        forEachPendingDelete { _, target in
            commit.batch.require(.unchanged, key: ReferrerKeys.arrival(at: target), in: table)
        }
    }

    /// Whether objects are to be deleted whose referrers are tracked.
    var hasPendingDeletes: Bool {
        store.classes.contains { $0.tracksReferrers && $0.pendingDeletes > 0 }
    }

    /// Calls `body` with each of these.
    func forEachPendingDelete(
        _ body: (StoredObject, ClassRow) throws -> Void
    ) rethrows {
        try store.changes.objects.forEachHeld { object in
            guard object.state.isSuperset(of: [.saved, .deleted]),
                let storedClass = object.storedClass, storedClass.tracksReferrers
            else { return }
            try body(object, ClassRow(classNumber: storedClass.number, row: object.rowID))
        }
    }
}
