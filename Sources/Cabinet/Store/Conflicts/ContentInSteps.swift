import CabinetBackend

/// What stands in pending objects that steps are about, before a merge.
///
/// A merge is no step, and what it does to them follows from what others have saved: taking a step back must
/// not undo it, nor one side of it. A step that was made after the store has seen a conflict, and before the merge,
/// knows the object as it was without the work of others.
struct ContentInSteps {
    private struct Image {
        let object: StoredObject
        let storedClass: StoredClass
        let wasDeleted: Bool
        /// By the index of the relationship.
        let targets: [[StoredObject]]
        let values = FieldImages()
    }

    private var images: [Image] = []
    private let keys: Set<UInt64>

    /// `nil` if `store` records no steps.
    init?(of store: Store) {
        guard let recorder = store.changes.recorder else { return nil }
        keys = recorder.keys
        var found: [Image] = []
        store.changes.objects.forEachHeld { object in
            guard object.state.isPending, object.state.isDisjoint(with: [.fault, .unreadable]),
                let storedClass = object.storedClass,
                keys.contains(ChangeLog.key(storedClass, object.rowID))
            else { return }
            let image = Image(
                object: object, storedClass: storedClass,
                wasDeleted: object.state.contains(.deleted),
                targets: storedClass.fields.relations.map { object.objects(in: $0) })
            image.values.take(object, storedClass.fields, in: store)
            found.append(image)
        }
        images = found
    }

    /// Notes what has changed since as the work of others.
    func noteChanges(in store: Store) {
        var found: [UInt64: ForeignEdits.Edit] = [:]
        for image in images {
            guard let edit = edit(of: image, in: store) else { continue }
            found[ChangeLog.key(image.storedClass, image.object.rowID)] = edit
        }
        store.changes.foreign.append(found, of: keys)
    }

    private func edit(of image: Image, in store: Store) -> ForeignEdits.Edit? {
        let (object, storedClass) = (image.object, image.storedClass)
        var edit = ForeignEdits.Edit()
        if object.state.contains(.fault) { store.fetchContent(of: object) }
        let isDeleted = object.state.contains(.deleted)
        if isDeleted != image.wasDeleted || object.state.contains(.unreadable) {
            edit.isWhole = true
            return edit
        }
        guard storedClass.isDeclared else {
            // What a class writes by hand is not taken apart, and nothing of it is kept of two sides.
            edit.isWhole = true
            return object.state.isPending ? nil : edit
        }
        var hasChanged = false
        let values = FieldImages()
        values.take(object, storedClass.fields, in: store)
        for (index, entry) in storedClass.fields.entries.enumerated()
        where !(entry.coder is RelationCoder) && !image.values.isSame(index, as: values) {
            edit.fields.insert(index)
            hasChanged = true
        }
        for (relation, former) in zip(storedClass.fields.relations, image.targets) {
            let present = object.objects(in: relation)
            guard !former.elementsEqual(present, by: ===),
                let index = storedClass.fields.entries.firstIndex(where: { $0.coder === relation })
            else { continue }
            hasChanged = true
            edit.note(former, present, at: index, isMany: relation.isMany, in: store)
        }
        return hasChanged ? edit : nil
    }
}

extension ForeignEdits.Edit {
    mutating func note(
        _ former: [StoredObject], _ present: [StoredObject], at index: Int, isMany: Bool,
        in store: Store
    ) {
        guard isMany else {
            fields.insert(index)
            return
        }
        let words = { (objects: [StoredObject]) in
            Set(objects.map { ObjectReferences.word(of: $0, in: store) })
        }
        members[index] = words(former).symmetricDifference(words(present))
    }
}
