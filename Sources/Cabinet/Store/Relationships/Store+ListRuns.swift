import CabinetBackend

// An edit of a list is reconciled when it ends, so that the graph follows from the order of the
// edits alone. Only objects that come to the end of a list one by one, and to which nothing leads,
// may wait: in whatever order edits of this kind are reconciled, and whether or not such an object
// leaves the list again meanwhile, the outcome is the same. Loops of `append` do nothing else.

extension Store {
    /// The first edit of `relation` of `object` since edits were reconciled has ended.
    func follow(_ relation: ManyCoder, of object: StoredObject, from former: EditStart?) {
        let address = object.address(of: relation)
        guard relation.isFollowed else { return relation.noteFree(at: address) }
        guard let former, let added = former.onlyAppended(in: relation.list(at: address)),
            canWait(added, to: relation, of: object)
        else { return reconcileLast(relation, of: object) }
        hasAppends = true
        relation.noteAppended(at: address)
    }

    /// `relation` of `object`, an edit of which waits, is about to be edited again.
    func goOnAppending(to relation: ManyCoder, of object: StoredObject) {
        let address = object.address(of: relation)
        guard relation.isAppended(at: UnsafeRawPointer(address)) else { return }
        let isFirst =
            relation.hasInverse
            ? relation.beginRun(at: address) : noteMembers(of: relation, in: object)
        relation.makeRoom(at: address, isShared: isFirst)
    }

    /// A further edit of `relation` of `object` has ended, whose list was as `former` says.
    func endListEdit(of relation: ManyCoder, in object: StoredObject, from former: ListMark) {
        let address = object.address(of: relation)
        guard relation.isFollowed, relation.edit(at: UnsafeRawPointer(address)) != 0 else { return }
        guard relation.isAppended(at: UnsafeRawPointer(address)),
            former.withOnlyAppended(
                in: relation.list(at: address), { canWait($0, to: relation, of: object) })
        else { return reconcileLast(relation, of: object) }
        relation.makeRoom(at: address)
    }

    /// Whether what follows from putting `added` at the end of `relation` of `object` may wait.
    private func canWait(
        _ added: StoredObject, to relation: ManyCoder, of object: StoredObject
    ) -> Bool {
        guard relation.hasInverse else { return isNewMember(added, of: relation, in: object) }
        if added.arriveUnrelated() { return true }
        guard !added.state.contains(.arriving), let field = inverse(of: relation, in: added),
            !added.state.contains(.arriving)
        else { return false }
        let place = UnsafeRawPointer(added.address(of: field))
        guard field.isEmpty(at: place), field.edit(at: place) ?? 0 == 0,
            !field.isBeingEdited(at: place)
        else { return false }
        added.arrive()
        return true
    }

    /// Whether `added`, the last object in a unique relationship, stands there just once.
    private func isNewMember(
        _ added: StoredObject, of relation: ManyCoder, in object: StoredObject
    ) -> Bool {
        guard let edit = indexOfEdit(of: relation, of: object) else { return false }
        if let start = unreconciled[edit].old, start.members != nil {
            return start.members?.insert(ObjectIdentifier(added)).inserted == true
        }
        let list = relation.list(at: object.address(of: relation))
        lists.visits += list.count
        return list.position(of: added) == list.count - 1
    }

    /// Notes the members of a unique relationship while objects are appended. `false`: known.
    private func noteMembers(of relation: ManyCoder, in object: StoredObject) -> Bool {
        guard let edit = indexOfEdit(of: relation, of: object), let start = unreconciled[edit].old,
            start.members == nil
        else { return false }
        let list = relation.list(at: object.address(of: relation))
        lists.visits += list.count
        start.members = Set(list.map { ObjectIdentifier($0) })
        return true
    }

    /// Reconciles the edit of `relation` of `object` after all others that wait: they came before.
    private func reconcileLast(_ relation: ManyCoder, of object: StoredObject) {
        let address = object.address(of: relation)
        // Not only objects that may wait were appended.
        if let number = relation.edit(at: UnsafeRawPointer(address)), number != 0 {
            relation.setEdit(number, at: address)
        }
        if unreconciled.count > 1, let index = indexOfEdit(of: relation, of: object),
            index < unreconciled.count - 1
        {
            unreconciled.append(unreconciled.remove(at: index))
        }
        reconcileEdits()
    }

    private func indexOfEdit(of relation: ManyCoder, of object: StoredObject) -> Int? {
        let number = relation.edit(at: UnsafeRawPointer(object.address(of: relation)))
        return number.flatMap { indexOfEdit($0, of: object) }
    }

    /// Where the edit with `number` waits: last, mostly.
    func indexOfEdit(_ number: UInt32?, of object: StoredObject) -> Int? {
        unreconciled.lastIndex { $0.number == number && $0.object === object }
    }
}
