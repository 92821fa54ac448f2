import CabinetBackend

/// What stands in the relationships of objects with pending changes in whose relationships no other
/// store has changed anything, while conflicting objects become what others have saved and then
/// something else.
///
/// These others may lose an object meanwhile and get it back, in another position of a list; or one
/// that others have left where it was takes it over. With edits, a list also knows what this store
/// has put into it and taken out: the other side may not know.
struct PendingRelations {
    private struct List {
        let object: StoredObject
        let relation: ManyCoder
        let objects: [StoredObject]
        /// What stands in the list of the saved record; `nil`: not asked for.
        let saved: [StoredObject]?
    }

    private var lists: [List] = []
    private var ones: [(object: StoredObject, relation: OneCoder, target: StoredObject?)] = []

    /// - Parameter withEdits: whether edits of lists are kept, for which each saved record is read.
    /// - Throws: why a record could not be read.
    init(of store: Store, except conflicts: [Store.PendingConflict], withEdits: Bool) throws {
        let known = Set(conflicts.map { ObjectIdentifier($0.object) })
        var found = PendingRelations()
        try store.changes.objects.forEachHeld { object in
            guard object.isChanged, object.state.isDisjoint(with: [.fault, .unreadable, .deleted]),
                !known.contains(ObjectIdentifier(object)), let storedClass = object.storedClass
            else { return }
            try found.take(object, storedClass, withEdits: withEdits, in: store)
        }
        self = found
    }

    private init() {}

    private mutating func take(
        _ object: StoredObject, _ storedClass: StoredClass, withEdits: Bool, in store: Store
    ) throws {
        let relations = storedClass.fields.relations.filter(\.hasInverse)
        var copy: StoredObject?
        if withEdits, object.state.contains(.saved), relations.contains(where: \.isMany) {
            copy = try store.savedCopy(of: object.rowID, storedClass, in: store.reader)
        }
        for relation in relations {
            guard relation.isMany else {
                let one = unsafeDowncast(relation, to: OneCoder.self)
                ones.append((object, one, one.object(in: object)))
                continue
            }
            let many = unsafeDowncast(relation, to: ManyCoder.self)
            let objects = object.objects(in: many)
            let saved = withEdits ? copy?.objects(in: many) ?? [] : nil
            if objects.count > 1 || saved != nil {
                lists.append(
                    List(object: object, relation: many, objects: objects, saved: saved))
            }
        }
    }

    /// Puts back what was lost, except for `dropped` objects, whose changes do not count.
    func restore(in store: Store, butFor dropped: Set<ObjectIdentifier>) {
        for (object, relation, target) in ones {
            let now = relation.object(in: object)
            guard now !== target, object.state.isDisjoint(with: .deleted) else { continue }
            let concerned = [now, target].compactMap { $0.map { ObjectIdentifier($0) } }
            guard dropped.isDisjoint(with: concerned) else { continue }
            store.assign(target.map { [$0] } ?? [], to: relation, of: object)
        }
        for list in lists {
            let (object, relation) = (list.object, list.relation)
            guard object.state.isDisjoint(with: [.fault, .unreadable, .deleted]) else { continue }
            if let edited = edited(list, butFor: dropped) {
                store.assign(edited, to: relation, of: object)
            }
            let now = object.objects(in: relation)
            if now.elementsEqual(list.objects, by: ===) { continue }
            store.replace(
                relation, of: object, with: Self.inOrder(of: list.objects, now),
                store.prepareChange(of: relation, in: object))
        }
    }

    /// The list with this store's additions and removals; `nil` if that is the same.
    private func edited(_ list: List, butFor dropped: Set<ObjectIdentifier>) -> [StoredObject]? {
        guard let saved = list.saved else { return nil }
        let former = Set(saved.map { ObjectIdentifier($0) })
        let mine = Set(list.objects.map { ObjectIdentifier($0) })
        let now = list.object.objects(in: list.relation)
        let present = Set(now.map { ObjectIdentifier($0) })
        let kept = now.filter {
            let key = ObjectIdentifier($0)
            return !former.contains(key) || mine.contains(key) || dropped.contains(key)
        }
        let added = list.objects.filter {
            let key = ObjectIdentifier($0)
            return !former.contains(key) && !present.contains(key) && !dropped.contains(key)
                && !$0.state.contains(.deleted)
        }
        return added.isEmpty && kept.count == now.count ? nil : kept + added
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
