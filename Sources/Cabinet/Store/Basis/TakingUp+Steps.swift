import CabinetBackend

extension TakingUp {
    func lookAtSteps() {
        guard let recorder = store.changes.recorder, !newer.changes.isEmpty else { return }
        keysInSteps = recorder.keys
        for key in keysInSteps {
            let row = RowID(UInt32(truncatingIfNeeded: key))
            guard let storedClass = store.classesByNumber[Int(key >> 32)],
                newer.changes.isUnknown
                    || newer.changes.tables[storedClass.table]?.contains(row) == true
            else { continue }
            foreignEdits[key] = foreignEdit(of: row, storedClass)
        }
    }

    /// A plain object with what this store last read or wrote in a row; `nil`: no record.
    func formerCopy(of row: RowID, _ storedClass: StoredClass) throws -> StoredObject? {
        if let own = newer.changes.ownRecord(of: row, in: storedClass.table) {
            return try store.withBuffer { buffer in
                try own.withUnsafeBytes {
                    try store.copy(of: $0, at: row, of: storedClass, by: buffer)
                }
            }
        }
        // Where others have changed nothing, the same is there, and is not given up by the engine.
        let isSame =
            !newer.changes.isUnknown
            && newer.changes.tables[storedClass.table]?.contains(row) != true
        return try store.savedCopy(
            of: row, storedClass, in: isSame ? newer.reader : store.reader)
    }

    /// The same or, if the engine has given it up, what others have saved.
    func copyToCompare(of row: RowID, _ storedClass: StoredClass) throws -> StoredObject? {
        do { return try formerCopy(of: row, storedClass) } catch BackendError.snapshotTooOld {
            return try store.savedCopy(of: row, storedClass, in: newer.reader)
        }
    }

    private func foreignEdit(
        of row: RowID, _ storedClass: StoredClass
    ) -> ForeignEdits.Edit {
        var edit = ForeignEdits.Edit()
        // What the class cannot read cannot be told apart.
        guard storedClass.isDeclared, let before = try? formerCopy(of: row, storedClass),
            let after = try? store.savedCopy(of: row, storedClass, in: newer.reader)
        else {
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
            edit.note(former, present, at: index, isMany: relation.isMany, in: store)
        }
        return edit
    }
}
