import CabinetBackend

extension Store {
    /// A save has made what triggers have changed. Steps of undo keep it, as they keep what others have saved:
    /// the save after an undo has the triggers change theirs.
    func noteTriggered(_ edits: [UInt64: ForeignEdits.Edit]) {
        guard let recorder = changes.recorder, !edits.isEmpty else { return }
        changes.foreign.append(edits, of: recorder.keys)
        if edits.values.contains(where: \.bindsObject) { changes.foreign.mayPart = true }
    }

    /// What `log` has changed of the objects that `keys` stand for.
    func edits(in log: ChangeLog, of keys: Set<UInt64>) -> [UInt64: ForeignEdits.Edit] {
        var found: [UInt64: ForeignEdits.Edit] = [:]
        for index in 0..<log.count {
            log.withEntry(at: index) { entry in
                guard keys.contains(entry.pointee.key) else { return }
                var edit = found[entry.pointee.key] ?? ForeignEdits.Edit(bindsObject: false)
                note(entry, in: &edit)
                found[entry.pointee.key] = edit
            }
        }
        return found
    }

    private func note(
        _ entry: UnsafePointer<ChangeLog.Entry>, in edit: inout ForeignEdits.Edit
    ) {
        let storedClass = entry.pointee.storedClass
        guard entry.pointee.kind == .updated, storedClass.isDeclared,
            let object = storedClass.existing(entry.pointee.row),
            object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
        else {
            edit.isWhole = true
            return
        }
        if let relation = entry.pointee.list.relation {
            note(entry.pointee.list.parts, of: relation, storedClass, in: &edit)
        }
        guard let image = entry.pointee.image else { return }
        guard let former = try? copy(of: image, as: storedClass) else {
            edit.isWhole = true
            return
        }
        let changed = changedFields(from: former, to: object, storedClass)
        for (index, field) in storedClass.fields.entries.enumerated()
        where changed.contains(index) {
            guard let relation = field.coder as? RelationCoder else {
                edit.fields.insert(index)
                continue
            }
            // An image without lists says nothing of them.
            if relation.isMany, !image.isWhole { continue }
            edit.bindsObject = true
            edit.note(
                former.objects(in: relation), object.objects(in: relation), at: index,
                isMany: relation.isMany, in: self)
        }
    }

    private func note(
        _ parts: [ListEdit.Part], of relation: ManyCoder, _ storedClass: StoredClass,
        in edit: inout ForeignEdits.Edit
    ) {
        guard
            let index = storedClass.fields.entries.firstIndex(where: { $0.coder === relation })
        else { return }
        for part in parts {
            for object in part.removed.objects(in: self) + part.inserted.objects(in: self) {
                edit.bindsObject = true
                edit.members[index, default: []].insert(ObjectReferences.word(of: object, in: self))
            }
        }
    }
}
