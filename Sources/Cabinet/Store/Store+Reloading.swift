import CabinetBackend

extension Store {
    /// Reads the content of `object` again when it is next touched.
    ///
    /// - Throws: ``StoreError/pendingChanges(class:row:)``, which ``rollback(_:)`` drops, and else as
    ///   that. Then nothing has changed.
    public func reload(_ object: StoredObject) throws {
        try checkOpen()
        let storedClass = try storedClass(of: object)
        reconcileEdits()
        if object.state.isPending {
            throw StoreError.pendingChanges(class: storedClass.name, row: object.rowID)
        }
        try rollback(object)
    }

    /// Drops the pending changes of `object` and reads its content again when next touched.
    ///
    /// A deleted object whose record is still there comes back; one that was never saved stays as
    /// it is. While undo records, this is a step.
    ///
    /// Inverses stay consistent: if the object was loaded, it is reloaded now, and objects added to
    /// or removed from its relationships are reloaded on next access. Those with pending changes
    /// keep them and change in this relationship only.
    ///
    /// If reading the object upgraded its record and changed other objects, and that is not saved
    /// yet, the object becomes what the upgrade made of it and stays pending, as the others do: see
    /// ``StoredObject/upgrade(from:)``.
    ///
    /// If the content cannot be read, `fetchError` says why, and no other object has changed.
    /// - Throws: ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``,
    ///   ``StoreError/closed``.
    public func rollback(_ object: StoredObject) throws {
        try checkOpen()
        let storedClass = try storedClass(of: object)
        guard object.state.contains(.saved) else { return }
        reconcileEdits()
        beginChange()
        defer { endChange() }
        announceChange()
        guard object.state.contains(.saved) else { return }
        rollbacks += 1
        let isStep = beginEditStep()
        defer { if isStep { endEditStep() } }
        let contents = observedContents(among: [object])
        var reloaded: [StoredObject] = []
        reload(object, storedClass, &reloaded)
        tell(contents)
        tell(notices(among: reloaded.filter { $0 !== object }), existence: false)
    }

    /// Makes of `object` what is saved of it, and reconciles. `reloaded` gets what to read again.
    func reload(
        _ object: StoredObject, _ storedClass: StoredClass, _ reloaded: inout [StoredObject]
    ) {
        changes.endReports()
        let others = relatedObjects(of: object, storedClass)
        if changes.isRecording { recordRefresh(of: object, storedClass) }
        storedClass.fetchErrors[object.rowID] = nil
        conflicting[ChangeLog.key(storedClass, object.rowID)] = nil
        changes.set(object, of: storedClass, to: [.saved, .fault, .reportsChange])
        reloaded.append(object)
        if !others.isEmpty { reloadOtherSides(of: object, from: others, &reloaded) }
        if object.state.contains(.fault), hasUpgradedContent(of: object, storedClass) {
            // The next save must write it with what its upgrade has changed.
            fetchContent(of: object)
        }
    }

    /// The relationships of `object` with an inverse, and who leads back; none if it was not read.
    private func relatedObjects(
        of object: StoredObject, _ storedClass: StoredClass
    ) -> [(relation: RelationCoder, objects: [StoredObject])] {
        guard object.state.isDisjoint(with: [.fault, .unreadable]) else { return [] }
        // The delete took it out of the other sides.
        let isDeleted = object.state.contains(.deleted)
        return storedClass.fields.relations.filter(\.hasInverse).map { relation in
            let objects = isDeleted ? [] : object.objects(in: relation)
            // Those of another store never led back.
            return (
                relation,
                objects.filter { $0.storedClass == nil || $0.storedClass?.context === self }
            )
        }
    }

    private func reloadOtherSides(
        of object: StoredObject, from former: [(relation: RelationCoder, objects: [StoredObject])],
        _ reloaded: inout [StoredObject]
    ) {
        fetchContent(of: object)
        guard object.state.isDisjoint(with: [.unreadable, .deleted]) else { return }
        var otherSides = OtherSides(isGrouping: false)
        for (relation, objects) in former {
            otherSides.hasPutOff = false
            // Its record still refers to objects whose delete is pending; these do not lead back.
            let deleted = object.objects(in: relation).filter { $0.state.contains(.deleted) }
            if !deleted.isEmpty { drop(deleted, from: object, relation) }
            let change = ListChange(from: objects, to: object.objects(in: relation))
            for other in change.gone() where !reloads(other, &reloaded) {
                otherSides.remove(object, from: other, relation, in: self)
            }
            for other in change.added() where !reloads(other, &reloaded) {
                otherSides.add(object, to: other, relation, in: self)
            }
            if otherSides.hasPutOff { note(relation, in: object, from: EditStart(objects)) }
        }
        otherSides.finish(in: self)
    }

    /// Makes a fault of an object without pending changes, and notes it; `false` for others.
    private func reloads(_ object: StoredObject, _ reloaded: inout [StoredObject]) -> Bool {
        guard !object.state.isPending else { return false }
        if let storedClass = object.storedClass, object.state.contains(.saved),
            object.state.isDisjoint(with: [.fault, .unreadable])
        {
            changes.set(object, of: storedClass, to: [.saved, .fault, .reportsChange])
            reloaded.append(object)
        }
        return true
    }

    private func recordRefresh(of object: StoredObject, _ storedClass: StoredClass) {
        if object.state.contains(.deleted) {
            let isKnown = object.state.isDisjoint(with: [.fault, .unreadable])
            changes.note(
                .init(
                    kind: .inserted, storedClass: storedClass, row: object.rowID,
                    priorState: object.state,
                    image: isKnown ? image(of: object) : nil, object: nil))
        } else if object.state.contains(.updated) {
            // With its lists: its whole content is dropped.
            if changes.openLogs.last?.coversLists(of: object, storedClass) == true { return }
            let isReadable = !object.state.contains(.unreadable)
            changes.note(
                .init(
                    kind: .updated, storedClass: storedClass, row: object.rowID,
                    priorState: object.state,
                    image: isReadable ? image(of: object) : nil, object: nil))
        }
    }
}
