import CabinetBackend

/// Edits of lists by their owners, from their beginning to the moment when they are settled.
extension Store {
    /// `relation` of `object` is about to be edited, which is marked as changed already.
    /// - Returns: `false` if an earlier edit of it waits for being settled.
    func beginListEdit(of relation: ManyCoder, in object: StoredObject) -> Bool {
        let place = object.place(of: relation)
        guard relation.edit(at: UnsafeRawPointer(place)) == 0, let home = object.home else {
            return false
        }
        let record = beginRecord(of: relation, in: object, home)
        let isTentative = object.state.contains(.tentative)
        guard relation.hasInverse || record != nil || isTentative else {
            note(relation, in: object, from: nil)
            return true
        }
        let log = record == nil ? nil : changes.openLogs.last
        let former = EditStart(relation.list(at: place), record: record, in: log)
        note(relation, in: object, from: former)
        EditedLists.begin(former, at: UnsafeRawPointer(place))
        return true
    }

    /// What the step under way will know of the edit; `nil` if changes are not recorded, or the step
    /// knows already what stood in the list.
    private func beginRecord(
        of relation: ManyCoder, in object: StoredObject, _ home: StoredClass
    ) -> ListEdit? {
        // What is set while a record is read is no change of the object.
        guard let log = changes.openLogs.last, recordsLists(of: object, home),
            !log.coversLists(of: object, home),
            !object.state.isDisjoint(with: [.inserted, .updated])
        else { return nil }
        let record = ListEdit(relation)
        // An object that was clean has just been marked.
        let prior = object.state.contains(.tentative) ? [.saved, .watched] : object.state
        log.append(
            .init(
                kind: .updated, home: home, row: object.rowID, priorState: prior, image: nil,
                list: record, object: nil))
        return record
    }

    /// The first edit of `relation` since edits were settled was made: what it has put there and is
    /// in no store is taken in.
    /// - Returns: `false` if the list is what it was. Then there was no edit: the object is marked as
    ///   changed only if something else of it was, and no step is kept.
    func endListEdit(of relation: ManyCoder, in object: StoredObject) -> Bool {
        let place = object.place(of: relation)
        let objects = relation.objects(at: UnsafeRawPointer(place))
        let number = relation.edit(at: UnsafeRawPointer(place))
        // The one that was noted last, mostly.
        let index = unsettled.lastIndex { $0.number == number && $0.object === object }
        let edit = index.map { unsettled[$0] }
        if let edit, let former = edit.old {
            if former.isEqual(to: objects) {
                cancel(edit, of: relation)
                return false
            }
            lists.visits += former.isStart(of: objects) ? 0 : objects.count
        }
        if object.state.contains(.tentative) {
            object.state.subtract(.tentative)
            changes.unwatch(object)
        }
        let isAppended = edit?.old?.isStart(of: objects) == true
        objects.forEachHeld(in: (isAppended ? edit?.old?.count ?? 0 : 0)..<objects.count) {
            if $0.homeReference == nil { takeInRelated($0) }
        }
        return true
    }

    private func cancel(_ edit: UnsettledEdit, of relation: ManyCoder) {
        let object = edit.object
        relation.setEdit(0, at: object.place(of: relation))
        if let record = edit.old?.record { edit.old?.log?.remove(record) }
        guard object.state.contains(.tentative), let home = object.home else { return }
        object.state.subtract(.tentative)
        if object.state.contains(.observed) { tellObservers(object, at: .standing) }
        changes.set(
            object, of: home, to: object.state.intersection([.saved, .unreadable]).union(.watched))
    }

    /// Edits that `log` holds and that are not settled are taken back: their step was given up.
    func takeBackEdits(of log: ChangeLog) {
        for edit in unsettled where edit.isCurrent && !edit.isUnderWay {
            guard let old = edit.old, old.record != nil, old.log === log else { continue }
            edit.relation.set(old.objects, at: edit.object.place(of: edit.relation))
        }
    }
}
