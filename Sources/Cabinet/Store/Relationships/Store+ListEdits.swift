import CabinetBackend

/// Edits of lists by their owners, from their beginning to the moment when they are reconciled.
extension Store {
    /// `relation` of `object` is about to be edited, which is marked as changed already.
    /// - Returns: `false` if an earlier edit of it waits to be reconciled.
    func beginListEdit(of relation: ManyCoder, in object: StoredObject) -> Bool {
        let address = object.address(of: relation)
        guard relation.edit(at: UnsafeRawPointer(address)) == 0,
            let storedClass = object.storedClass
        else {
            goOnAppending(to: relation, of: object)
            return false
        }
        let number = nextEdit()
        let (log, index) = beginRecord(of: relation, number, in: object, storedClass)
        let former = editStart(relation.list(at: address), in: log, at: index)
        EditedLists.begin(former, at: UnsafeRawPointer(address))
        note(number, of: relation, in: object, from: former)
        return true
    }

    private func editStart(
        _ objects: [StoredObject], in log: ChangeLog?, at index: Int
    ) -> EditStart {
        guard let start = spareStart else { return EditStart(objects, in: log, at: index) }
        spareStart = nil
        start.reset(to: objects, in: log, at: index)
        return start
    }

    /// Where the step under way will know of the edit; no log if it need not.
    private func beginRecord(
        of relation: ManyCoder, _ number: UInt32, in object: StoredObject,
        _ storedClass: StoredClass
    ) -> (log: ChangeLog?, index: Int) {
        // What is set while a record is read is no change of the object.
        guard let log = changes.openLogs.last, recordsLists(of: object, storedClass),
            !log.coversLists(of: object, storedClass),
            !object.state.isDisjoint(with: [.inserted, .updated])
        else { return (nil, 0) }
        // An object that was clean has just been marked.
        let prior = object.state.contains(.tentative) ? [.saved, .reportsChange] : object.state
        log.append(
            .underWay(relation), edit: number, of: .passUnretained(storedClass), object.rowID,
            priorState: prior)
        return (log, log.count - 1)
    }

    /// The first edit of `relation` since reconciling was made: what it put there is taken in.
    /// - Returns: `false` if the list is what it was: no edit, no step, and no mark on the object.
    func endListEdit(of relation: ManyCoder, in object: StoredObject) -> Bool {
        let address = object.address(of: relation)
        let objects = relation.objects(at: UnsafeRawPointer(address))
        let number = relation.edit(at: UnsafeRawPointer(address))
        let index = indexOfEdit(number, of: object)
        let former = index.flatMap { unreconciled[$0].old }
        var known = 0
        if let index, let former {
            if former.isEqual(to: objects) {
                cancel(unreconciled[index], of: relation)
                return false
            }
            let isAppended = former.isStart(of: objects)
            known = isAppended ? former.count : 0
            lists.visits += isAppended ? 0 : objects.count
        }
        if object.state.contains(.tentative) {
            object.state.subtract(.tentative)
            changes.stopReporting(object)
        }
        objects.forEachHeld(in: known..<objects.count) {
            if $0.classReference == nil { takeInRelated($0) }
        }
        follow(relation, of: object, from: former)
        return true
    }

    private func cancel(_ edit: UnreconciledEdit, of relation: ManyCoder) {
        let object = edit.object
        relation.setEdit(0, at: object.address(of: relation))
        if let start = edit.old { start.log?.remove(edit.number, at: start.index) }
        guard object.state.contains(.tentative), let storedClass = object.storedClass else {
            return
        }
        object.state.subtract(.tentative)
        if object.state.contains(.observed) { tellObservers(object, at: .standing) }
        changes.set(
            object, of: storedClass,
            to: object.state.intersection([.saved, .unreadable]).union(.reportsChange))
    }

    /// Edits that `log` holds and that are not reconciled are taken back: their step was given up.
    func takeBackEdits(of log: ChangeLog) {
        for edit in unreconciled where edit.isCurrent && !edit.isUnderWay {
            guard let old = edit.old, old.log === log else { continue }
            edit.relation.set(old.objects, at: edit.object.address(of: edit.relation))
        }
    }

    /// `log` was closed: its edits that are not reconciled belong to the step around it.
    func moveEdits(of log: ChangeLog) {
        guard hasUnreconciledEdits else { return }
        for edit in unreconciled where edit.old?.log === log {
            edit.old?.log = changes.openLogs.last ?? log
        }
    }
}
