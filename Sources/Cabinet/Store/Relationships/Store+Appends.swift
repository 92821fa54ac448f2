import CabinetBackend

/// One object added at the end of a list: most steps hold nothing else.
extension Store {
    /// Reconciles the edit that waits, if it is the only one and has added one object at the end of
    /// a list with an inverse: as any edit, for a third of the instructions.
    /// - Returns: `false` for any other edit; then nothing was done.
    @inline(__always)
    func reconcileOneAppend() -> Bool {
        guard unreconciled.count == 1, var edit = unreconciled.popLast() else { return false }
        guard let added = objectAppended(by: edit) else {
            unreconciled.append(edit)
            return false
        }
        let (object, many) = (edit.object, unsafeDowncast(edit.relation, to: ManyCoder.self))
        forgetEdits(of: many)
        let address = object.address(of: many)
        many.setEdit(0, at: address)
        lists.visits += 1
        var others = OtherSides(isGrouping: false)
        others.add(object, to: added, many, in: self)
        others.finish(in: self)
        if others.hasPutOff {
            putOff(edit)
            return true
        }
        guard var start = edit.old.take() else { return true }
        if let log = start.log {
            log.end(
                edit.number, at: start.index,
                as: .insertion(of: added, at: start.count, many, in: self))
        }
        if isKnownUniquelyReferenced(&start) { keepSpare(start) }
        return true
    }

    /// The object that `edit` has appended to a list with an inverse; `nil`: another edit.
    @inline(__always)
    private func objectAppended(by edit: UnreconciledEdit) -> StoredObject? {
        guard let start = edit.old else { return nil }
        let relation = edit.relation
        guard relation.isMany, relation.hasInverse, !relation.isUnique else { return nil }
        let (object, many) = (edit.object, unsafeDowncast(relation, to: ManyCoder.self))
        let address = object.address(of: many)
        guard object.classReference != nil,
            object.state.isDisjoint(with: [.fault, .deleted]),
            many.isEdited(at: address, by: edit.number),
            let added = start.onlyAppended(in: many.list(at: address)),
            added.classReference != nil, !added.state.contains(.deleted)
        else { return nil }
        return added
    }

    /// Keeps `start`, of an edit that was reconciled, for the next edit; nothing else holds it.
    func keepSpare(_ start: EditStart) {
        start.empty()
        spareStart = start
    }
}
