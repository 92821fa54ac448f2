import CabinetBackend

/// Makes one content of what this store and others have made of an object.
extension Store {
    /// Does with conflicting objects what `plan` says. The store reads as of the last commit.
    ///
    /// Objects whose relationships others have changed first become what these have saved, all of
    /// them, with their other sides; then what this store has changed is done again, with all that
    /// follows from it. So both sides of each relationship agree whatever the two have done.
    /// - Throws: why a delete was refused, or a record could not be read. Then what is pending is
    ///   as it was.
    func resolve(_ conflicts: [PendingConflict], by plan: MergePlan, _ taking: TakingUp) throws {
        take(plan.names)
        conflictingNames = NameConflicts()
        guard !conflicts.isEmpty || !plan.forgotten.isEmpty else {
            conflicting = [:]
            return
        }
        let contents = observed.count == 0 ? [] : observedContents(among: conflicts.map(\.object))
        announceChange()
        changes.endReports()
        do {
            // What others have done is no step of this store.
            let content = ContentInSteps(of: self)
            if plan.changesObjects { try step(keeping: false) { try carryOut(plan) } }
            try plan.taken.assign(in: self)
            content?.noteChanges(in: self)
        } catch {
            for conflict in conflicts { conflicting[conflict.key] = taking.row(of: conflict) }
            throw error
        }
        conflicting = [:]
        tell(contents)
    }

    private func carryOut(_ plan: MergePlan) throws {
        let changesOthers = !plan.reloads.isEmpty || !plan.revivals.isEmpty
        let others =
            changesOthers
            ? try PendingRelations(
                of: self, except: plan.reloads + plan.burials + plan.revivals,
                withEdits: plan.mayBeOneSided) : nil
        var reloaded: [StoredObject] = []
        // What is owned comes first: an owner drops what is deleted.
        let owned = try ownedByKeptOwners(in: plan)
        for object in owned.reversed() {
            if let storedClass = object.storedClass { reload(object, storedClass, &reloaded) }
        }
        for conflict in plan.reloads { reload(conflict.object, conflict.storedClass, &reloaded) }
        for conflict in plan.burials { bury(conflict) }
        // A list of theirs may hold an object that belongs elsewhere by its own relationship here.
        for merge in plan.merges { try apply(merge, toMany: true) }
        for merge in plan.merges { try apply(merge, toMany: false) }
        revive(plan.revivals.map(\.object) + plan.ownedByRevived)
        for conflict in plan.deletes { try delete(conflict.object) }
        try forgetReferences(
            to: plan.forgotten.map(\.object).filter { $0.state.contains(.deleted) })
        others?.restore(
            in: self, butFor: plan.dropped.union(owned.map { ObjectIdentifier($0) }))
    }

    /// Does again what this store has changed of an object that is the others' now: lists first.
    private func apply(_ merge: ObjectMerge, toMany: Bool) throws {
        // What others have saved of it is not read yet if no relationship has another side.
        if merge.object.state.contains(.fault) { fetchContent(of: merge.object) }
        if let error = merge.object.fetchError { throw error }
        let entries = merge.storedClass.fields.entries
        for (index, outcome) in merge.kept {
            let isMany = (entries[index].coder as? RelationCoder)?.isMany ?? false
            guard isMany == toMany else { continue }
            switch outcome {
            case .value(let bytes):
                noteUpdate(of: merge.object)
                try bytes.withUnsafeBytes { bytes in
                    try entries[index].read(bytes, into: merge.object, in: self)
                }
            case .objects(let objects):
                guard let relation = entries[index].coder as? RelationCoder else { continue }
                assign(objects, to: relation, of: merge.object)
            case .edits(let base, let mine):
                guard let relation = entries[index].coder as? RelationCoder else { continue }
                let list = ObjectMerge.merge(
                    base: base, mine: mine, theirs: merge.object.objects(in: relation))
                assign(list, to: relation, of: merge.object)
            }
        }
    }

    /// Makes `objects`, without deleted ones, what stands in a relationship, and reconciles.
    func assign(
        _ objects: [StoredObject], to relation: RelationCoder, of object: StoredObject
    ) {
        noteUpdate(of: object)
        guard !object.state.contains(.deleted) else { return }
        var live = objects.filter { !$0.state.contains(.deleted) }
        if relation.isUnique {
            var seen: Set<ObjectIdentifier> = []
            live = live.filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        let old = object.objects(in: relation)
        if old.elementsEqual(live, by: ===) { return }
        object.noteReferenceChange()
        if relation.isMany {
            let many = unsafeDowncast(relation, to: ManyCoder.self)
            replace(many, of: object, with: live, prepareChange(of: many, in: object))
        } else {
            unsafeDowncast(relation, to: OneCoder.self).set(live.first, in: object)
        }
        guard relation.hasInverse else { return }
        var others = OtherSides(isGrouping: false)
        let change = ListChange(from: old, to: live)
        for other in change.gone() { others.remove(object, from: other, relation, in: self) }
        for other in change.added() { others.add(object, to: other, relation, in: self) }
        others.finish(in: self)
    }

    /// Objects that others have deleted are saved again, in their rows.
    private func revive(_ objects: [StoredObject]) {
        // All at first: a relationship drops an object that is deleted.
        for object in objects {
            guard let storedClass = object.storedClass else { continue }
            changes.set(object, of: storedClass, to: .inserted)
            object.state.formUnion(.buried)
        }
        for object in objects {
            guard let storedClass = object.storedClass else { continue }
            if !storedClass.fields.relations.isEmpty { noteRelations(of: object, storedClass) }
            changes.stopReporting(object)
        }
        reconcileEdits()
    }

    /// An object that others have deleted loses its changes, and leaves those that lead back.
    private func bury(_ conflict: PendingConflict) {
        let (object, storedClass) = (conflict.object, conflict.storedClass)
        if object.state.isDisjoint(with: [.fault, .unreadable]) {
            var others = OtherSides(isGrouping: false)
            for relation in storedClass.fields.relations where relation.hasInverse {
                for other in object.objects(in: relation) {
                    others.remove(object, from: other, relation, in: self)
                }
            }
            others.finish(in: self)
        }
        changes.set(
            object, of: storedClass,
            to: object.state.intersection([.unreadable]).union(.deleted))
        object.state.formUnion(.buried)
    }
}
