import CabinetBackend

/// What a store learns of loose relationships, and of what it could not read, when it takes up what others have saved.
extension TakingUp {
    /// Rows of the newer commit count as there, as records of it may be read meanwhile.
    var existingRows: ExistingRowsCache {
        store.annex(ExistingRowsCache.self) { _ in ExistingRowsCache() }
    }

    /// What others have deleted may be referred to, and what they have changed may refer to what is gone.
    func noteLooseReferences() {
        for storedClass in store.classes {
            if newer.changes.isUnknown {
                storedClass.loose.beginAnew()
            } else if let rows = newer.changes.tables[storedClass.table] {
                storedClass.loose.note(changedElsewhere: rows.all)
                for row in rows.all where rows.hasDeleted(row) {
                    storedClass.noteGone(row)
                    guard let object = storedClass.existing(row), !object.state.isPending,
                        !object.state.contains(.deleted)
                    else { continue }
                    // It was made for a reference in a record that was read meanwhile.
                    bury(object, storedClass)
                }
            }
        }
    }

    /// What could not be read of a reader that was given up, and that others have not changed: it is to be read of the
    /// newer one.
    func objectsReadTooLate(in storedClass: StoredClass) -> [StoredObject] {
        storedClass.fetchErrors.compactMap { row, error in
            guard case BackendError.snapshotTooOld = error, let object = storedClass.existing(row),
                object.state.contains(.unreadable), !object.state.isPending,
                newer.changes.tables[storedClass.table]?.contains(row) != true
            else { return nil }
            return object
        }
    }
}
