import CabinetBackend

/// Deletes that this store drops because another has changed the object, and what the delete rules of these
/// objects had deleted with them.
extension Store {
    /// What the objects of `plan` that are deleted here, and stay as the others have saved them, own by their delete
    /// rules, and what that owns in turn, as far as it is deleted here and there is a record of it: its delete is
    /// dropped, too. What it owns comes behind each object.
    func ownedByKeptOwners(in plan: MergePlan) throws -> [StoredObject] {
        var found: [StoredObject] = []
        var open: [StoredObject] = []
        for conflict in plan.reloads where plan.dropped.contains(ObjectIdentifier(conflict.object))
        {
            if conflict.object.state.contains(.deleted) { open.append(conflict.object) }
        }
        if open.isEmpty { return [] }
        // What a plan says of an object by itself holds.
        var known = Set((plan.reloads + plan.deletes).map { ObjectIdentifier($0.object) })
        while let owner = open.popLast() {
            guard let storedClass = owner.storedClass else { continue }
            for target in try owned(by: owner, storedClass)
            where target.state.isSuperset(of: .savedAndDeleted) {
                guard known.insert(ObjectIdentifier(target)).inserted,
                    let targetClass = target.storedClass, targetClass.context === self,
                    try hasSavedRecord(target.rowID, of: targetClass)
                else { continue }
                found.append(target)
                open.append(target)
            }
        }
        return found
    }

    /// What an object owned when it was deleted, and what it owns as it is saved now.
    private func owned(
        by owner: StoredObject, _ storedClass: StoredClass
    ) throws -> [StoredObject] {
        let relations = storedClass.fields.relations.filter {
            $0.rule == .cascade || $0.rule == .cascadeWhenLastReference
        }
        if relations.isEmpty { return [] }
        var contents = [try savedCopy(of: owner.rowID, storedClass, in: reader)].compactMap(\.self)
        if owner.state.isDisjoint(with: [.fault, .unreadable]) { contents.append(owner) }
        return relations.flatMap { relation in contents.flatMap { $0.objects(in: relation) } }
    }
}
