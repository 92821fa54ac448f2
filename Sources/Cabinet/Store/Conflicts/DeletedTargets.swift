import CabinetBackend

/// Objects that a store is about to delete and that others have come to refer to since, by
/// relationships without another side. Those with another side are in conflict themselves.
struct DeletedTargets {
    /// Those that some relationship is to forget, perhaps.
    private(set) var forgotten: [(object: StoredObject, storedClass: StoredClass)] = []
    /// Those that were deleted because nothing referred to them.
    private(set) var conflicts: [Store.PendingConflict] = []

    /// Looks for them where `newer` is what others have saved. Objects of `conflicts` are left out.
    ///
    /// Cost: nothing unless others have saved; a look-up for each object to be deleted whose class
    /// tracks its referrers.
    init(_ newer: Store.Newer, except conflicts: [Store.PendingConflict], in store: Store) throws {
        guard let table = store.referrerTable, table.hasPendingDeletes,
            !newer.changes.isEmpty || table.hasUncheckedDeletes
        else { return }
        let conflicting = Set(conflicts.map(\.key))
        lazy var orphans = Self.orphans(in: store)
        try table.forEachPendingDelete { object, target in
            guard let storedClass = object.storedClass,
                !conflicting.contains(ChangeLog.key(storedClass, object.rowID))
            else { return }
            let owners = try table.owners(of: target, in: newer.reader)?.filter { owner in
                Self.counts(owner, conflicting, in: store)
            }
            // Where the table does not know, all objects are asked.
            if let owners, owners.isEmpty { return }
            if storedClass.isNullified { forgotten.append((object, storedClass)) }
            guard let owners, orphans.contains(ObjectIdentifier(object)) else { return }
            let known = try table.owners(of: target, in: store.reader) ?? []
            guard !Set(owners).subtracting(known).isEmpty || table.hasUncheckedDeletes else {
                return
            }
            self.conflicts.append(
                Store.PendingConflict(object: object, storedClass: storedClass, isDeleted: false))
        }
    }

    /// Whether what is saved of an owner counts, or may: what is pending here knows of the delete.
    private static func counts(
        _ owner: ReferrerTable.ClassRow, _ conflicting: Set<UInt64>, in store: Store
    ) -> Bool {
        guard let storedClass = store.classesByNumber[Int(owner.classNumber)] else { return false }
        guard let object = storedClass.existing(owner.row), object.state.isPending else {
            return true
        }
        return !object.state.contains(.deleted)
            && conflicting.contains(ChangeLog.key(storedClass, owner.row))
    }

    /// Objects to be deleted whose owners' rule deletes what nothing else refers to.
    private static func orphans(in store: Store) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = []
        store.changes.objects.forEachHeld { object in
            guard object.state.isSuperset(of: [.saved, .deleted]),
                object.state.isDisjoint(with: [.fault, .unreadable]),
                let storedClass = object.storedClass
            else { return }
            for relation in storedClass.fields.relations
            where relation.rule == .cascadeWhenLastReference {
                for other in object.objects(in: relation) { found.insert(ObjectIdentifier(other)) }
            }
        }
        return found
    }
}
