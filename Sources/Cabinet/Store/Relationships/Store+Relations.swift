import CabinetBackend

/// What follows from edits of relationships.
extension Store {
    /// While undo records and no group is open, an edit and what follows from it are one step.
    func beginEditStep() -> Bool {
        guard changes.recorder != nil, changes.openLogs.isEmpty else { return false }
        _ = changes.openLog()
        return true
    }

    func endEditStep() {
        settleEdits()
        changes.closeLog(keeping: true)
    }

    func note(
        _ relation: RelationCoder, in object: StoredObject, from old: EditStart?
    ) {
        lastEdit = lastEdit == ManyEdit.last ? 1 : lastEdit + 1
        relation.setEdit(lastEdit, at: object.place(of: relation))
        append(
            UnsettledEdit(object: object, relation: relation, number: lastEdit, old: old))
    }

    /// What `object`, just inserted, refers to is looked at when edits are settled.
    func noteRelations(of object: StoredObject, _ home: StoredClass) {
        home.fields.forEachRelation { relation in
            let place = object.place(of: relation)
            if relation.isEmpty(at: UnsafeRawPointer(place)) {
                relation.setEdit(0, at: place)
            } else {
                note(relation, in: object, from: nil)
            }
        }
    }

    // MARK: Settling

    /// A relationship to one has changed, which is settled at once.
    func didChangeRelation(
        _ relation: RelationCoder, of object: StoredObject, from old: StoredObject?,
        to new: StoredObject?
    ) {
        if let new, new.home == nil { takeInRelated(new) }
        guard relation.hasInverse else { return }
        if let new, new.state.contains(.deleted) { drop([new], from: object, relation) }
        var others = OtherSides(isGrouping: false)
        if let old { others.remove(object, from: old, relation, in: self) }
        if let new { others.add(object, to: new, relation, in: self) }
        others.finish(in: self)
        if others.hasPutOff {
            note(relation, in: object, from: old.map { EditStart([$0]) })
        }
    }

    /// Does what follows from all edits of relationships: objects that were assigned are inserted,
    /// a unique relationship keeps each object once, and the other sides are made right.
    @inline(__always)
    func settleEdits() { if hasUnsettledEdits { settleAll() } }

    @inline(never)
    private func settleAll() {
        // Whoever asks may have been called in the midst of an edit, which comes later then.
        var putOff: [UnsettledEdit] = []
        // What is inserted may have relationships of its own.
        while !unsettled.isEmpty {
            // As every step has one, its memory is kept for the next.
            if unsettled.count == 1 {
                let edit = unsettled.removeLast()
                edit.relation.forgetUnsettledEdits()
                hasUnsettledEdits = false
                settle(CollectionOfOne(edit), puttingOff: &putOff)
            } else {
                let edits = unsettled
                forgetEdits()
                settle(edits, puttingOff: &putOff)
            }
        }
        for edit in putOff {
            edit.relation.setEdit(edit.number, at: edit.object.place(of: edit.relation))
            append(edit)
        }
    }

    /// Settles `edits`, all there are, but for those that are being made just now.
    @inline(__always)
    private func settle(
        _ edits: some Collection<UnsettledEdit>, puttingOff putOff: inout [UnsettledEdit]
    ) {
        var others = OtherSides(isGrouping: edits.count > 1)
        for edit in edits where edit.isCurrent {
            others.hasPutOff = edit.isUnderWay
            if !others.hasPutOff { settle(edit, &others) }
            if others.hasPutOff { putOff.append(edit) }
        }
        others.finish(in: self)
    }

    private func append(_ edit: UnsettledEdit) {
        edit.relation.noteUnsettledEdit()
        hasUnsettledEdits = true
        unsettled.append(edit)
    }

    /// Nothing follows from any edit.
    func forgetEdits() {
        for edit in unsettled { edit.relation.forgetUnsettledEdits() }
        unsettled = []
        hasUnsettledEdits = false
    }

    private func settle(_ edit: UnsettledEdit, _ others: inout OtherSides) {
        let (object, relation) = (edit.object, edit.relation)
        let place = object.place(of: relation)
        relation.setEdit(0, at: place)
        guard !object.state.contains(.deleted) else { return }
        guard relation.isMany else {
            let one = unsafeDowncast(relation, to: OneCoder.self)
            return settle(one, in: object, from: edit.old?.array.first, &others)
        }
        if relation.isUnique, others.isGrouping || !isAppendOfOthers(edit) {
            keepEachOnce(in: object, relation)
        }
        let new = object.objects(in: relation)
        let change = ListChange(from: edit.old, to: new)
        lists.visits += change.visits + change.newMiddle.count
        if let start = edit.old, let record = start.record {
            start.log?.end(record, with: change, in: self)
        }
        var deleted: [StoredObject] = []
        func takeIn(_ other: StoredObject) {
            if other.homeReference == nil { takeInRelated(other) }
            if other.state.contains(.deleted), relation.hasInverse { deleted.append(other) }
        }
        guard relation.hasInverse else { return new.forEachHeld(in: change.newMiddle, takeIn) }
        if change.isOnlyAdded {
            new.forEachHeld(in: change.newMiddle) { other in
                takeIn(other)
                others.add(object, to: other, relation, in: self)
            }
        } else {
            new.forEachHeld(in: change.newMiddle, takeIn)
            for other in change.gone() { others.remove(object, from: other, relation, in: self) }
            for other in change.added() { others.add(object, to: other, relation, in: self) }
        }
        // They could not lead back, and would not know of this when their delete is undone.
        if !deleted.isEmpty { drop(deleted, from: object, relation) }
    }

    /// Likewise for a relationship to one, with no list made of it: objects that were inserted with
    /// what they refer to come in thousands.
    private func settle(
        _ relation: OneCoder, in object: StoredObject, from old: StoredObject?,
        _ others: inout OtherSides
    ) {
        let new = relation.object(in: object)
        if new === old { return }
        if let new, new.homeReference == nil { takeInRelated(new) }
        guard relation.hasInverse else { return }
        if let old { others.remove(object, from: old, relation, in: self) }
        guard let new else { return }
        others.add(object, to: new, relation, in: self)
        if new.state.contains(.deleted) { drop([new], from: object, relation) }
    }

    /// Whether `edit`, the only one to be settled, has added a few objects at the end that stood
    /// nowhere in the list: an object that did leads back.
    private func isAppendOfOthers(_ edit: UnsettledEdit) -> Bool {
        let objects = edit.object.objects(in: edit.relation)
        guard edit.relation.hasInverse, let former = edit.old, former.isStart(of: objects) else {
            return false
        }
        let added = objects[former.count...]
        guard added.count <= 8, Set(added.map { ObjectIdentifier($0) }).count == added.count else {
            return false
        }
        return added.allSatisfy { other in
            guard let inverse = inverse(of: edit.relation, in: other) else { return false }
            return other.objects(in: inverse).place(of: edit.object) == nil
        }
    }

    private func keepEachOnce(in object: StoredObject, _ relation: RelationCoder) {
        let objects = object.objects(in: relation)
        lists.visits += objects.count
        var seen: Set<ObjectIdentifier> = []
        let unique = objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
        if unique.count != objects.count { relation.set(unique, at: object.place(of: relation)) }
    }
}
