import CabinetBackend

/// What follows an owner where one side of a conflict has deleted it and the other counts: what the delete rules
/// had deleted with it.
extension Store {
    /// What the objects of `plan` that are deleted here, and stay as the others have saved them, own by their delete
    /// rules, and what that owns in turn, as far as it is deleted here and there is a record of it: its delete is
    /// dropped, too. What it owns comes behind each object.
    func ownedByKeptOwners(in plan: MergePlan) throws -> [StoredObject] {
        let owners = plan.reloads.filter {
            plan.dropped.contains(ObjectIdentifier($0.object)) && $0.object.state.contains(.deleted)
        }
        // What a plan says of an object by itself holds.
        return try owned(by: owners, except: plan.reloads + plan.deletes) { owner, relations in
            // As it was when it was deleted, and as it is saved now.
            let saved = try owner.storedClass.flatMap {
                try savedCopy(of: owner.rowID, $0, in: reader)
            }
            let isRead = owner.state.isDisjoint(with: [.fault, .unreadable])
            let contents = [saved, isRead ? owner : nil].compactMap(\.self)
            return relations.flatMap { relation in contents.flatMap { $0.objects(in: relation) } }
        } where: { target, targetClass in
            guard target.state.isSuperset(of: .savedAndDeleted) else { return false }
            return try hasSavedRecord(target.rowID, of: targetClass)
        }
    }

    /// What the objects of `plan` that come back own by their delete rules, and what that owns in turn, as far as
    /// the others have deleted it and nothing of it is pending here. Its content is read: the store reads as of its
    /// basis still.
    func ownedByRevived(in plan: MergePlan, _ newer: Newer) throws -> [StoredObject] {
        try owned(by: plan.revivals, except: plan.revivals) { owner, relations in
            relations.flatMap { owner.objects(in: $0) }
        } where: { target, targetClass in
            guard target.state.contains(.saved), !target.state.isPending,
                try hasSavedRecord(target.rowID, of: targetClass),
                try newer.reader.presentRows(among: [target.rowID], in: targetClass.table).isEmpty
            else { return false }
            if target.state.contains(.fault) { readFault(target) }
            return !target.state.contains(.unreadable)
        }
    }

    /// What `owners` own by their delete rules, and what that owns in turn.
    ///
    /// - Parameters:
    ///   - targets: what stands in such relationships of an object.
    ///   - isMeant: of which objects that is so, asked once for each.
    private func owned(
        by owners: [PendingConflict], except others: [PendingConflict],
        targets: (StoredObject, [RelationCoder]) throws -> [StoredObject],
        where isMeant: (StoredObject, StoredClass) throws -> Bool
    ) throws -> [StoredObject] {
        var found: [StoredObject] = []
        var open = owners.map(\.object)
        if open.isEmpty { return [] }
        var known = Set(others.map { ObjectIdentifier($0.object) })
        while let owner = open.popLast() {
            let relations = owner.storedClass?.fields.relations.filter {
                $0.rule == .cascade || $0.rule == .cascadeWhenLastReference
            }
            guard let relations, !relations.isEmpty else { continue }
            for target in try targets(owner, relations)
            where known.insert(ObjectIdentifier(target)).inserted {
                guard let targetClass = target.storedClass, targetClass.context === self,
                    try isMeant(target, targetClass)
                else { continue }
                found.append(target)
                open.append(target)
            }
        }
        return found
    }
}
