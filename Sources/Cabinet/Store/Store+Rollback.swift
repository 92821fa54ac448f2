import CabinetBackend

extension Store {
    /// Drops all pending changes. Cannot fail.
    ///
    /// Inserted objects become plain again (row 0, no store), changed ones faults that read their
    /// saved content when next touched, deleted ones live. Named buffers are what they were, and
    /// undo steps made since the last save are dropped, as are notes (``note(_:)``). An object whose saved delete was undone is
    /// deleted again.
    /// - Precondition: neither an enumeration nor a group, a delete or a save is under way.
    public func rollback() {
        precondition(enumerations == 0, "rollback() inside an enumeration")
        precondition(!isBusyWithStep, "rollback() inside a group, a delete or a save")
        if backgroundSave != nil { endBackgroundSave() }
        rollbacks += 1
        announceChange()
        refusal = nil
        attribution?.forgetNotes()
        upgradedContents = [:]
        conflicting = [:]
        conflictingNames = NameConflicts()
        for edit in unreconciled where edit.isCurrent {
            edit.relation.setEdit(0, at: edit.object.address(of: edit.relation))
        }
        forgetEdits()
        lists.bringAllBack()
        heapGrowth = HeapGrowth()
        let pending = changes.objects
        let contents = observedContents(among: pending)
        changes.removeAll()
        for object in pending {
            guard let storedClass = object.storedClass else { continue }
            storedClass.pendingInserts = 0
            storedClass.pendingDeletes = 0
            if object.state.contains(.saved) {
                storedClass.fetchErrors[object.rowID] = nil
                object.state = object.state.intersection(.lasting)
                    .union([.saved, .fault, .reportsChange])
            } else if object.state.contains(.buried) {
                object.state = object.state.intersection(.lastingWithTrouble)
                    .union([.deleted, .buried])
                storedClass.noteGone(object.rowID)
            } else {
                storedClass.release(object)
            }
        }
        pendingNames.removeAll()
        changes.recorder?.didRollBack()
        tell(contents)
        // None is under way: all were dropped.
        changesUnderWay = 0
        if hasDelegate { tellOfChange() }
    }
}
