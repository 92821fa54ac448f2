import CabinetBackend

/// What stands in the relationships of objects with pending changes in whose relationships no other
/// store has changed anything, while contested objects become what others have saved and then
/// something else.
///
/// These others may lose an object meanwhile and get it back, in another position of a list; or one
/// that others have left where it was takes it over.
struct PendingRelations {
    private var lists: [(object: StoredObject, relation: ManyCoder, objects: [StoredObject])] = []
    private var ones: [(object: StoredObject, relation: OneCoder, target: StoredObject?)] = []

    init(of store: Store, except contests: [Store.Contest]) {
        let known = Set(contests.map { ObjectIdentifier($0.object) })
        var found = PendingRelations()
        store.changes.objects.forEachHeld { object in
            guard object.isChanged, object.state.isDisjoint(with: [.fault, .unreadable, .deleted]),
                !known.contains(ObjectIdentifier(object)), let storedClass = object.storedClass
            else { return }
            storedClass.fields.forEachRelation { relation in
                guard relation.hasInverse else { return }
                guard relation.isMany else {
                    let one = unsafeDowncast(relation, to: OneCoder.self)
                    return found.ones.append((object, one, one.object(in: object)))
                }
                let many = unsafeDowncast(relation, to: ManyCoder.self)
                let objects = object.objects(in: many)
                if objects.count > 1 { found.lists.append((object, many, objects)) }
            }
        }
        self = found
    }

    private init() {}

    /// Puts back what was lost, but for what concerns objects in `dropped`, of which nothing that
    /// is pending here counts.
    func restore(in store: Store, butFor dropped: Set<ObjectIdentifier>) {
        for (object, relation, target) in ones {
            let now = relation.object(in: object)
            guard now !== target, object.state.isDisjoint(with: .deleted) else { continue }
            let concerned = [now, target].compactMap { $0.map { ObjectIdentifier($0) } }
            guard dropped.isDisjoint(with: concerned) else { continue }
            store.assign(target.map { [$0] } ?? [], to: relation, of: object)
        }
        for (object, relation, objects) in lists {
            guard object.state.isDisjoint(with: [.fault, .unreadable, .deleted]) else { continue }
            let now = object.objects(in: relation)
            if now.elementsEqual(objects, by: ===) { continue }
            relation.replace(with: Self.inOrder(of: objects, now), in: object)
        }
    }

    /// The objects of `now`: those of `former` in their order there, then the others.
    private static func inOrder(
        of former: [StoredObject], _ now: [StoredObject]
    ) -> [StoredObject] {
        var left: [ObjectIdentifier: Int] = [:]
        for object in now { left[ObjectIdentifier(object), default: 0] += 1 }
        func take(_ object: StoredObject) -> Bool {
            guard let count = left[ObjectIdentifier(object)], count > 0 else { return false }
            left[ObjectIdentifier(object)] = count - 1
            return true
        }
        let kept = former.filter(take)
        return kept + now.filter(take)
    }
}
