import CabinetBackend

extension Store {
    /// Makes `object` what `reader` has of it, as an edit and a step.
    func restore(_ object: StoredObject, from reader: PastReader) throws {
        try checkOpen()
        reconcileEdits()
        let storedClass = try storedClass(of: object)
        guard let former = try savedCopy(of: object.rowID, storedClass, in: reader) else {
            throw StoreError.notThen(
                class: storedClass.name, row: object.rowID, commit: try reader.lastCommit())
        }
        let contents = observedContents(among: [object])
        try step {
            if object.state.contains(.deleted) { try bringBack(object, storedClass, as: former) }
            try load(object)
            if storedClass.isDeclared {
                try take(former, into: object, storedClass)
            } else {
                noteUpdate(of: object)
                try restore(image(of: former), to: object)
            }
        }
        tell(contents)
    }

    /// Likewise of the object in a row, which may have been deleted in an earlier run.
    /// - Returns: the object.
    func restore(
        _ row: RowID, of storedClass: StoredClass, from reader: PastReader
    ) throws -> StoredObject {
        reconcileEdits()
        let object: StoredObject
        if let known = try storedClass.existing(row) ?? self.object(of: storedClass, row) {
            object = known
        } else {
            guard try savedCopy(of: row, storedClass, in: reader) != nil else {
                throw StoreError.notThen(
                    class: storedClass.name, row: row, commit: try reader.lastCommit())
            }
            storedClass.goneRows.remove(row)
            object = storedClass.makeDeletedObject(at: row)
        }
        try restore(object, from: reader)
        return object
    }

    /// Undoes a delete: the object has its row again, and no relationships yet.
    private func bringBack(
        _ object: StoredObject, _ storedClass: StoredClass, as former: StoredObject
    ) throws {
        let blank = try copy(of: image(of: former), as: storedClass)
        for relation in storedClass.fields.relations {
            if relation.isMany {
                unsafeDowncast(relation, to: ManyCoder.self).replace(with: [], in: blank)
            } else {
                unsafeDowncast(relation, to: OneCoder.self).set(nil, in: blank)
            }
        }
        let log = ChangeLog.make(isUndoable: true)
        log.append(
            .init(
                kind: .deleted, storedClass: storedClass, row: object.rowID,
                priorState: object.state, image: image(of: blank), object: object))
        let inverse = try changes.revert(log, in: self)
        changes.openLogs.last?.append(contentsOf: inverse)
    }

    private func take(
        _ former: StoredObject, into object: StoredObject, _ storedClass: StoredClass
    ) throws {
        let (new, old) = (FieldImages(), FieldImages())
        new.take(former, storedClass.fields, in: self)
        old.take(object, storedClass.fields, in: self)
        for (index, entry) in storedClass.fields.entries.enumerated() {
            if let relation = entry.coder as? RelationCoder {
                let wanted = try former.objects(in: relation).filter(isStillThere)
                if object.objects(in: relation).elementsEqual(wanted, by: ===) { continue }
                assign(wanted, to: relation, of: object)
            } else if !new.isSame(index, as: old) {
                noteUpdate(of: object)
                try entry.read(new[index], into: object, in: self)
            }
        }
    }
}
