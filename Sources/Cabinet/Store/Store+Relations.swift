import CabinetBackend

extension Store {
    // MARK: Edits

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

    func noteRelationEdit(_ relation: RelationCoder, in object: StoredObject) {
        let place = object.place(of: relation)
        if let known = relation.edit(at: UnsafeRawPointer(place)), known != 0 { return }
        note(relation, in: object, from: relation.hasInverse ? object.objects(in: relation) : [])
    }

    private func note(
        _ relation: RelationCoder, in object: StoredObject, from old: [StoredObject]
    ) {
        let place = object.place(of: relation)
        lastEdit = lastEdit == .max ? 1 : lastEdit + 1
        relation.setEdit(lastEdit, at: place)
        relation.unsettledEdits += 1
        hasUnsettledEdits = true
        unsettled.append(
            UnsettledEdit(object: object, relation: relation, number: lastEdit, old: old))
    }

    /// A relationship to one has changed, which is settled at once.
    func didChangeRelation(
        _ relation: RelationCoder, of object: StoredObject, from old: StoredObject?,
        to new: StoredObject?
    ) {
        if let new, new.home == nil { takeInRelated(new) }
        guard relation.hasInverse else { return }
        var inverses = InverseChanges()
        inverses.note(
            object, relation, from: old.map { [$0] } ?? [], to: new.map { [$0] } ?? [])
        apply(inverses)
    }

    /// Does what follows from all edits of relationships: objects that were assigned are inserted,
    /// a unique relationship keeps each object once, and the other sides are made right.
    @inline(__always)
    func settleEdits() { if hasUnsettledEdits { settleAll() } }

    @inline(never)
    private func settleAll() {
        // What is inserted may have relationships of its own.
        while !unsettled.isEmpty {
            let edits = unsettled
            forgetEdits()
            var inverses = InverseChanges()
            for edit in edits where edit.isCurrent { settle(edit, &inverses) }
            apply(inverses)
        }
    }

    /// Nothing follows from any edit.
    func forgetEdits() {
        for edit in unsettled { edit.relation.unsettledEdits = 0 }
        unsettled = []
        hasUnsettledEdits = false
    }

    private func settle(_ edit: UnsettledEdit, _ inverses: inout InverseChanges) {
        let (object, relation) = (edit.object, edit.relation)
        let place = object.place(of: relation)
        relation.setEdit(0, at: place)
        guard !object.state.contains(.deleted) else { return }
        var objects = object.objects(in: relation)
        if relation.isUnique {
            var seen: Set<ObjectIdentifier> = []
            let unique = objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
            if unique.count != objects.count {
                relation.set(unique, at: place)
                objects = unique
            }
        }
        for other in objects where other.home == nil { takeInRelated(other) }
        guard relation.hasInverse else { return }
        if objects.contains(where: \.isDeleted) {
            // It could not lead back, and would not know of this when its delete is undone.
            objects.removeAll(where: \.isDeleted)
            relation.set(objects, at: place)
        }
        inverses.note(object, relation, from: edit.old, to: objects)
    }

    /// What `object`, just inserted, refers to is looked at when edits are settled.
    func noteRelations(of object: StoredObject, _ home: StoredClass) {
        for relation in home.fields.relations {
            relation.setEdit(0, at: object.place(of: relation))
            if !object.objects(in: relation).isEmpty { note(relation, in: object, from: []) }
        }
    }

    // MARK: Deleting

    /// What the delete rules of `object`, which is deleted now, ask for: the objects to be deleted
    /// in turn.
    /// - Throws: ``StoreError/deniedByRule(class:row:field:by:)``
    func followRules(of object: StoredObject, _ home: StoredClass) throws -> [StoredObject] {
        var doomed: [StoredObject] = []
        var inverses = InverseChanges()
        for relation in home.fields.relations {
            let others = object.objects(in: relation).filter { !$0.isDeleted }
            guard !others.isEmpty else { continue }
            if relation.hasInverse, relation.rule != .noAction, relation.rule != .cascade {
                inverses.note(object, relation, from: others, to: [])
            }
            guard let rule = relation.rule else { continue }
            switch rule {
            case .nullify, .noAction:
                break
            case .cascade:
                doomed += others
            case .deny:
                throw StoreError.deniedByRule(
                    class: home.name, row: object.rowID, field: relation.name,
                    by: others.map { "\($0.home?.name ?? "\(type(of: $0))") \($0.rowID)" })
            case .cascadeWhenLastReference:
                doomed += try others.filter { try $0.home != nil && referrers(of: $0).isEmpty }
            }
        }
        apply(inverses)
        return doomed
    }

    /// Takes `object`, which is deleted now, out of the relationships whose rule asks for it.
    func forgetReferences(to object: StoredObject, _ home: StoredClass) throws {
        guard home.tracksReferrers, home.isNullified else { return }
        for owner in try referrers(of: object) {
            guard let relations = owner.home?.fields.relations else { continue }
            if owner.state.contains(.fault) { fetchContent(of: owner) }
            for relation in relations where relation.rule == .nullify {
                let others = owner.objects(in: relation)
                guard others.contains(where: { $0 === object }) else { continue }
                owner.willChange()
                relation.set(others.filter { $0 !== object }, at: owner.place(of: relation))
            }
        }
    }
}
