import CabinetBackend

extension Store {
    /// While undo records and no group is open, an edit and what follows from it are one step.
    func beginEditStep() -> Bool {
        guard changes.hasRecorder, changes.openLogs.isEmpty else { return false }
        _ = changes.openLog()
        beginChange()
        return true
    }

    func endEditStep() {
        reconcileEdits()
        closeLog(keeping: true)
        endChange()
    }

    func closeLog(keeping isKept: Bool) {
        let log = changes.closeLog(keeping: isKept)
        if hasUnreconciledEdits, let log { moveEdits(of: log) }
    }

    func note(_ relation: RelationCoder, in object: StoredObject, from old: EditStart?) {
        note(nextEdit(), of: relation, in: object, from: old)
    }

    /// Notes the edit with `number`, the latest one, to be reconciled.
    @inline(__always)
    func note(
        _ number: UInt32, of relation: RelationCoder, in object: StoredObject,
        from old: EditStart?
    ) {
        relation.setEdit(number, at: object.address(of: relation))
        append(UnreconciledEdit(object: object, relation: relation, number: number, old: old))
    }

    func nextEdit() -> UInt32 {
        lastEdit = lastEdit == ManyEdit.last ? 1 : lastEdit + 1
        return lastEdit
    }

    /// Notes all relationships of `object`, just inserted, to be reconciled.
    func noteRelations(of object: StoredObject, _ storedClass: StoredClass) {
        var isRelated = false
        storedClass.fields.forEachRelation { relation in
            let address = object.address(of: relation)
            if relation.isEmpty(at: UnsafeRawPointer(address)) {
                return relation.setEdit(0, at: address)
            }
            note(relation, in: object, from: nil)
            guard relation.hasInverse else { return }
            isRelated = true
            hasUrgentEdits = true
            noteArrivals(in: relation, of: object)
        }
        if !isRelated, !object.state.contains(.arriving) { object.state.formUnion(.unrelated) }
    }

    private func noteArrivals(in relation: RelationCoder, of object: StoredObject) {
        guard relation.isMany else {
            unsafeDowncast(relation, to: OneCoder.self).object(in: object)?.arrive()
            return
        }
        object.objects(in: relation).forEachHeld { $0.arrive() }
    }

    // MARK: Reconciling

    /// A relationship to one has changed, which is reconciled at once.
    func didChangeRelation(
        _ relation: RelationCoder, of object: StoredObject, from old: StoredObject?,
        to new: StoredObject?
    ) {
        if let new, new.storedClass == nil { takeInRelated(new) }
        guard relation.hasInverse else { return }
        beginChange()
        defer { endChange() }
        if let new, new.state.contains(.deleted) { drop([new], from: object, relation) }
        var others = OtherSides(isGrouping: false)
        if let old { others.remove(object, from: old, relation, in: self) }
        if let new { others.add(object, to: new, relation, in: self) }
        others.finish(in: self)
        if others.hasPutOff {
            note(relation, in: object, from: old.map { EditStart([$0]) })
            hasUrgentEdits = true
        }
    }

    /// Reconciles all edits: inserts assigned objects, drops repeated ones, updates other sides.
    @inline(__always)
    func reconcileEdits() { if hasUnreconciledEdits { reconcileAll() } }

    /// Reconciles the edits that an edit of `relation` must not overtake: those of the other side,
    /// those of inserted objects, and one of its own unless that goes on.
    func reconcileEdits(before relation: RelationCoder, of object: StoredObject) {
        if relation.awaitsOtherSide { return reconcileAll() }
        guard relation.isFollowed, relation.hasUnreconciledEdits else { return }
        let address = UnsafeRawPointer(object.address(of: relation))
        if hasUrgentEdits { return reconcileAll() }
        guard relation.isMany, relation.edit(at: address) != 0 else { return }
        if !unsafeDowncast(relation, to: ManyCoder.self).isAppended(at: address) { reconcileAll() }
    }

    @inline(never)
    private func reconcileAll() {
        beginChange()
        defer { endChange() }
        if reconcileOneAppend(), unreconciled.isEmpty { return }
        // The caller may run in the midst of an edit, which is reconciled later then.
        var putOff: [UnreconciledEdit] = []
        // What is inserted may have relationships of its own.
        while !unreconciled.isEmpty {
            // As every step has one, its memory is kept for the next.
            if unreconciled.count == 1 {
                var edit = unreconciled.removeLast()
                forgetEdits(of: edit.relation)
                var others = OtherSides(isGrouping: false)
                reconcile(edit, &others, puttingOff: &putOff)
                others.finish(in: self)
                if var start = edit.old.take(), isKnownUniquelyReferenced(&start) {
                    keepSpare(start)
                }
            } else {
                let edits = unreconciled
                forgetEdits()
                reconcile(edits, puttingOff: &putOff)
            }
        }
        for edit in putOff { self.putOff(edit) }
    }

    func putOff(_ edit: UnreconciledEdit) {
        edit.relation.setEdit(edit.number, at: edit.object.address(of: edit.relation))
        append(edit)
        hasUrgentEdits = true
    }

    /// Reconciles `edits`, all there are, except those that are being made just now.
    private func reconcile(_ edits: [UnreconciledEdit], puttingOff putOff: inout [UnreconciledEdit])
    {
        var others = OtherSides(isGrouping: true)
        for edit in edits { reconcile(edit, &others, puttingOff: &putOff) }
        others.finish(in: self)
    }

    @inline(__always)
    private func reconcile(
        _ edit: UnreconciledEdit, _ others: inout OtherSides,
        puttingOff putOff: inout [UnreconciledEdit]
    ) {
        guard edit.isCurrent else { return }
        others.hasPutOff = edit.isUnderWay
        if !others.hasPutOff { reconcile(edit, &others) }
        if others.hasPutOff { putOff.append(edit) }
    }

    func append(_ edit: UnreconciledEdit) {
        edit.relation.noteUnreconciledEdit()
        hasUnreconciledEdits = true
        unreconciled.append(edit)
    }

    func forgetEdits() {
        for edit in unreconciled { edit.relation.forgetUnreconciledEdits() }
        unreconciled = []
        (hasUnreconciledEdits, hasUrgentEdits, hasAppends) = (false, false, false)
    }

    /// The only edit, of `relation`, was taken out of the list of edits.
    @inline(__always)
    func forgetEdits(of relation: RelationCoder) {
        relation.forgetUnreconciledEdits()
        (hasUnreconciledEdits, hasUrgentEdits, hasAppends) = (false, false, false)
    }

    private func reconcile(_ edit: UnreconciledEdit, _ others: inout OtherSides) {
        let (object, relation) = (edit.object, edit.relation)
        let address = object.address(of: relation)
        guard relation.isMany else {
            guard !object.state.contains(.deleted) else { return }
            let one = unsafeDowncast(relation, to: OneCoder.self)
            return reconcile(one, in: object, from: edit.old?.array.first, &others)
        }
        // What is appended while it may wait does not stand there yet.
        let isDistinct = unsafeDowncast(relation, to: ManyCoder.self)
            .isAppended(at: UnsafeRawPointer(address))
        relation.setEdit(0, at: address)
        guard !object.state.contains(.deleted) else { return }
        if relation.isUnique, !isDistinct, !isAppendOfOthers(edit) {
            keepEachOnce(in: object, relation)
        }
        let new = object.objects(in: relation)
        if relation.hasInverse, let start = edit.old, let added = start.onlyAppended(in: new),
            added.classReference != nil, !added.state.contains(.deleted)
        {
            return reconcileAppend(of: added, to: object, edit, start, &others)
        }
        let change = ListChange(from: edit.old, to: new)
        lists.visits += change.visits + change.newMiddle.count
        var deleted: [StoredObject] = []
        func takeIn(_ other: StoredObject) {
            if other.classReference == nil { takeInRelated(other) }
            if other.state.contains(.deleted), relation.hasInverse { deleted.append(other) }
        }
        guard relation.hasInverse else {
            new.forEachHeld(in: change.newMiddle, takeIn)
            return endRecord(of: edit, change)
        }
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
        // An edit that is put off is reconciled once more.
        if !others.hasPutOff { endRecord(of: edit, change) }
        // Deleted objects cannot lead back, and would not do so when their delete is undone.
        if !deleted.isEmpty { drop(deleted, from: object, relation) }
    }

    /// `edit` has added `other` at the end: the most frequent one.
    @inline(__always)
    private func reconcileAppend(
        of other: StoredObject, to object: StoredObject, _ edit: UnreconciledEdit,
        _ start: EditStart,
        _ others: inout OtherSides
    ) {
        lists.visits += 1
        others.add(object, to: other, edit.relation, in: self)
        guard !others.hasPutOff, let log = start.log else { return }
        let many = unsafeDowncast(edit.relation, to: ManyCoder.self)
        log.end(
            edit.number, at: start.index,
            as: .insertion(of: other, at: start.count, many, in: self))
    }

    /// Records in the step of `edit` that it has made `change`.
    @inline(__always)
    private func endRecord(of edit: UnreconciledEdit, _ change: ListChange) {
        guard let start = edit.old, let log = start.log else { return }
        let many = unsafeDowncast(edit.relation, to: ManyCoder.self)
        log.end(edit.number, at: start.index, as: ListEdit(change, of: many, in: self))
    }

    /// Reconciles a relationship to one without a list: programs insert thousands of objects with
    /// their targets.
    private func reconcile(
        _ relation: OneCoder, in object: StoredObject, from old: StoredObject?,
        _ others: inout OtherSides
    ) {
        let new = relation.object(in: object)
        if new === old { return }
        if let new, new.classReference == nil { takeInRelated(new) }
        guard relation.hasInverse else { return }
        if let old { others.remove(object, from: old, relation, in: self) }
        guard let new else { return }
        others.add(object, to: new, relation, in: self)
        if new.state.contains(.deleted) { drop([new], from: object, relation) }
    }

    /// Whether `edit` appended a few objects that were not there: one that was leads back.
    private func isAppendOfOthers(_ edit: UnreconciledEdit) -> Bool {
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
            return other.objects(in: inverse).position(of: edit.object) == nil
        }
    }

    private func keepEachOnce(in object: StoredObject, _ relation: RelationCoder) {
        let objects = object.objects(in: relation)
        lists.visits += objects.count
        var seen: Set<ObjectIdentifier> = []
        let unique = objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
        if unique.count != objects.count { relation.set(unique, at: object.address(of: relation)) }
    }
}
