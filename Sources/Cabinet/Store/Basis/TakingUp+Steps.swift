import CabinetBackend

/// Steps whose objects others have changed.
extension TakingUp {
    /// Finds what others have changed of objects in steps.
    func lookAtSteps() throws {
        guard let recorder = store.changes.recorder, !newer.changes.isEmpty else { return }
        keysInSteps = recorder.keys
        for key in keysInSteps {
            let row = RowID(UInt32(truncatingIfNeeded: key))
            guard let storedClass = store.classesByNumber[Int(key >> 32)],
                newer.changes.isUnknown
                    || newer.changes.tables[storedClass.table]?.contains(row) == true
            else { continue }
            foreignEdits[key] = try foreignEdit(of: row, storedClass)
        }
    }

    private func formerCopy(
        of row: RowID, _ storedClass: StoredClass
    ) throws -> StoredObject? {
        do { return try store.savedCopy(of: row, storedClass, in: store.reader) } catch BackendError
            .snapshotTooOld
        {
            isBasisGone = true
            return nil
        }
    }

    /// What others have changed of the record in a row; `nil` for nothing.
    private func foreignEdit(
        of row: RowID, _ storedClass: StoredClass
    ) throws -> ForeignEdits.Edit? {
        let before = try formerCopy(of: row, storedClass)
        let after = try store.savedCopy(of: row, storedClass, in: newer.reader)
        if before == nil, after == nil, !isBasisGone { return nil }
        var edit = ForeignEdits.Edit()
        guard let before, let after, storedClass.isDeclared else {
            edit.isWhole = true
            return edit
        }
        let (old, new) = (FieldImages(), FieldImages())
        old.take(before, storedClass.fields, in: store)
        new.take(after, storedClass.fields, in: store)
        for (index, entry) in storedClass.fields.entries.enumerated() {
            guard let relation = entry.coder as? RelationCoder else {
                if !old.isSame(index, as: new) { edit.fields.insert(index) }
                continue
            }
            let former = before.objects(in: relation)
            let present = after.objects(in: relation)
            if former.elementsEqual(present, by: ===) { continue }
            guard relation.isMany else {
                edit.fields.insert(index)
                continue
            }
            let words = { (objects: [StoredObject]) in
                Set(objects.map { ObjectReferences.word(of: $0, in: self.store) })
            }
            edit.members[index] = words(former).symmetricDifference(words(present))
        }
        return edit
    }
}
