import CabinetBackend

/// Both sides of the relationships that taking a step back changes, beside other stores.
///
/// A step may have been made while one side of a relationship was in conflict and did not lead back
/// (``TakingUp/mayBeOneSided``). It then knows of one side alone, and so does what takes it back.
/// A link that either side has afterwards becomes one that both have: objects that came to a
/// relationship again come to the other side, too, and what is still led back to comes back.
struct RestoredSides {
    private struct Link {
        let owner: StoredObject
        let relation: RelationCoder
        let target: StoredObject
    }

    private var links: [Link] = []
    private let store: Store
    private let log: ChangeLog

    /// What the relationships that `log` is about hold before it is taken back; `nil` if no other
    /// store has changed anything so far.
    init?(of log: ChangeLog, in store: Store) {
        guard store.changes.foreign.mayPart else { return nil }
        (self.store, self.log) = (store, log)
        noteLinks()
    }

    /// Brings both sides into line after `log` was taken back; `inverse` learns of it.
    mutating func reconcile(notingIn inverse: ChangeLog) {
        noteLinks()
        let changes = store.changes.openLog()
        for link in links { reconcile(link) }
        store.changes.closeLog(keeping: false)
        inverse.append(contentsOf: changes)
    }

    private mutating func noteLinks() {
        log.forEachReversed { entry in
            if entry.pointee.list.isThere { return noteMembers(of: entry) }
            let (storedClass, row) = (entry.pointee.storedClass, entry.pointee.row)
            let isDelete = entry.pointee.kind == .deleted
            let object = isDelete ? storedClass.existing(row) : storedClass.object(at: row)
            guard let object, !object.state.contains(.deleted) else { return }
            let isWhole = entry.pointee.isWhole || entry.pointee.kind != .updated
            note(object, storedClass, withLists: isWhole)
        }
    }

    /// Notes what came to a list in the step, or went.
    private mutating func noteMembers(of entry: UnsafePointer<ChangeLog.Entry>) {
        guard let relation = entry.pointee.list.relation, relation.hasInverse,
            let owner = entry.pointee.storedClass.existing(entry.pointee.row)
        else { return }
        for part in entry.pointee.list.parts {
            for target in part.removed.objects(in: store) + part.inserted.objects(in: store) {
                links.append(Link(owner: owner, relation: relation, target: target))
            }
        }
    }

    private mutating func note(
        _ object: StoredObject, _ storedClass: StoredClass, withLists: Bool
    ) {
        let relations = storedClass.fields.relations.filter {
            $0.hasInverse && (withLists || !$0.isMany)
        }
        if relations.isEmpty { return }
        if object.state.contains(.fault) { store.fetchContent(of: object) }
        if object.state.contains(.unreadable) { return }
        for relation in relations {
            for target in object.objects(in: relation) {
                links.append(Link(owner: object, relation: relation, target: target))
            }
        }
    }

    private func reconcile(_ link: Link) {
        let (owner, relation, target) = (link.owner, link.relation, link.target)
        guard owner.storedClass != nil, let inverse = store.inverse(of: relation, in: target),
            store.inverse(of: inverse, in: owner) != nil
        else { return }
        let leads = isThere(target, in: relation, of: owner)
        if leads == isThere(owner, in: inverse, of: target) { return }
        var others = OtherSides(isGrouping: false)
        if leads {
            others.add(owner, to: target, relation, in: store)
        } else if relation.isMany || owner.objects(in: relation).isEmpty {
            others.add(target, to: owner, inverse, in: store)
        } else {
            // It leads elsewhere again.
            others.remove(owner, from: target, relation, in: store)
        }
        others.finish(in: store)
    }

    private func isThere(
        _ target: StoredObject, in relation: RelationCoder, of owner: StoredObject
    ) -> Bool {
        if relation.isMany {
            let many = unsafeDowncast(relation, to: ManyCoder.self)
            return store.lists.contains(target, in: owner, many)
        }
        return unsafeDowncast(relation, to: OneCoder.self).object(in: owner) === target
    }
}
