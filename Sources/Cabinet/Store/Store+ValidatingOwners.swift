import CabinetBackend

/// Validated objects that may have parts: if others change these, the save looks again.
struct ValidatedOwners {
    /// Empty once the commit requires that they are unchanged.
    fileprivate var objects: [StoredObject]
    /// Whether no other store could change anything before they were validated.
    fileprivate let isAlone: Bool
    /// The rows that the commit requires to be unchanged, by class and row.
    fileprivate(set) var required: Set<UInt64> = []

    init(_ objects: [StoredObject], isAlone: Bool) {
        (self.objects, self.isAlone) = (objects, isAlone)
    }
}

extension Store {
    /// Finds the relationships that lead from objects to owners to validate with them.
    func findOwnersToValidate() {
        var isComplete = false
        while !isComplete {
            isComplete = true
            for part in classes {
                let found = part.fields.relations.filter { relation in
                    classes.contains { owner in
                        relation.isCascaded(from: owner)
                            && (owner.validates || !owner.ownersToValidate.isEmpty)
                    }
                }
                if found.count == part.ownersToValidate.count { continue }
                part.ownersToValidate = found
                isComplete = false
            }
        }
    }

    /// Objects that have some of `pending` as parts, or whose owners do, each once, undeleted.
    func owners(of pending: PendingObjects) -> [StoredObject] {
        var found: [StoredObject] = []
        var known: Set<ObjectIdentifier> = []
        for object in pending { addOwners(of: object, to: &found, &known) }
        var next = 0
        while next < found.count {
            addOwners(of: found[next], to: &found, &known)
            next += 1
        }
        return found
    }

    private func addOwners(
        of object: StoredObject, to found: inout [StoredObject],
        _ known: inout Set<ObjectIdentifier>
    ) {
        // A delete has changed the owners of the object, which are pending themselves.
        guard let storedClass = object.storedClass, !storedClass.ownersToValidate.isEmpty,
            object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
        else { return }
        for relation in storedClass.ownersToValidate {
            for owner in object.objects(in: relation) {
                guard let ownerClass = owner.storedClass, relation.isCascaded(from: ownerClass),
                    known.insert(ObjectIdentifier(owner)).inserted
                else { continue }
                if owner.state.contains(.fault) { fetchContent(of: owner) }
                if !owner.state.contains(.deleted) { found.append(owner) }
            }
        }
    }

    /// Requires that others have changed neither what was validated nor its parts: a rule over them
    /// may hold for what each of two stores has changed, and not for both.
    func requireValidated(in batch: WriteBatch) {
        guard var waiting = validated?.objects, let isAlone = validated?.isAlone else { return }
        validated?.objects = []
        if isAlone {
            batch.requiresLastBasis = true
            return
        }
        var known = Set(waiting.map { ObjectIdentifier($0) })
        var next = 0
        while next < waiting.count {
            let object = waiting[next]
            next += 1
            guard let storedClass = object.storedClass else { continue }
            // What the batch itself writes it compares anyway.
            if object.state.contains(.saved), !object.state.isPending {
                batch.require(.unchanged, row: object.rowID, in: storedClass.table)
                validated?.required.insert(ChangeLog.key(storedClass, object.rowID))
            }
            guard storedClass.hasParts else { continue }
            if object.state.contains(.fault) { fetchContent(of: object) }
            for relation in storedClass.fields.relations where relation.rule == .cascade {
                for part in object.objects(in: relation)
                where known.insert(ObjectIdentifier(part)).inserted { waiting.append(part) }
            }
        }
    }
}

extension RelationCoder {
    /// Whether objects of `owner` delete, by the inverse of the relationship, those that have it.
    fileprivate func isCascaded(from owner: StoredClass) -> Bool {
        inverse(in: owner)?.rule == .cascade
    }
}
