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
        ForeignEdits.Edit(
            from: try? formerCopy(of: row, storedClass),
            to: try? store.savedCopy(of: row, storedClass, in: newer.reader), storedClass, in: store
        )
    }
}

extension ForeignEdits.Edit {
    /// What differs between two contents of an object; all, if one of them is missing or cannot be taken apart.
    init(
        from before: StoredObject?, to after: StoredObject?, _ storedClass: StoredClass,
        in store: Store
    ) {
        self.init()
        // What the class cannot read cannot be told apart.
        guard storedClass.isDeclared, let before, let after else {
            isWhole = true
            return
        }
        let (old, new) = (FieldImages(), FieldImages())
        old.take(before, storedClass.fields, in: store)
        new.take(after, storedClass.fields, in: store)
        for (index, entry) in storedClass.fields.entries.enumerated() {
            guard let relation = entry.coder as? RelationCoder else {
                if !old.isSame(index, as: new) { fields.insert(index) }
                continue
            }
            let former = before.objects(in: relation)
            let present = after.objects(in: relation)
            if former.elementsEqual(present, by: ===) { continue }
            note(former, present, at: index, isMany: relation.isMany, in: store)
        }
    }

    /// Whether something differs.
    var isThere: Bool { isWhole || !fields.isEmpty || !members.isEmpty }
}
