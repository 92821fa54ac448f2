import CabinetBackend

extension Store {
    /// Takes out of the relationships of the objects in `log`, which was taken back, what other stores have
    /// deleted since; `inverse` learns of it.
    ///
    /// Only of relationships that a delete must empty itself: where an inverse leads back, a step that parts the
    /// two was refused, and reading passes over what is gone in the others.
    func dropLostTargets(of log: ChangeLog, notingIn inverse: ChangeLog) {
        var seen: Set<UInt64> = []
        let changes = self.changes.openLog()
        log.forEachReversed { entry in
            let storedClass = entry.pointee.storedClass
            let relations = storedClass.fields.relations.filter {
                $0.rule == .nullify && !$0.hasInverse
            }
            guard !relations.isEmpty, seen.insert(entry.pointee.key).inserted,
                let object = storedClass.existing(entry.pointee.row),
                object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
            else { return }
            for relation in relations {
                let targets = object.objects(in: relation)
                let left = targets.filter { $0.storedClass == nil || mayBeThere($0) }
                if left.count < targets.count { assign(left, to: relation, of: object) }
            }
        }
        self.changes.closeLog(keeping: false)
        inverse.append(contentsOf: changes)
    }

    /// `true` if that cannot be read: then the object cannot be, either, and says so.
    private func mayBeThere(_ object: StoredObject) -> Bool {
        do { return try isStillThere(object) } catch { return true }
    }

    /// Whether an object that a former content refers to was not deleted since.
    func isStillThere(_ object: StoredObject) throws -> Bool {
        guard !object.state.contains(.deleted), let storedClass = object.storedClass else {
            return false
        }
        return try object.state.isDisjoint(with: [.fault, .unreadable])
            || hasSavedRecord(object.rowID, of: storedClass)
    }
}
