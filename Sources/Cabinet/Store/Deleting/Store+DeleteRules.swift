import CabinetBackend

extension Store {
    /// What a delete of one object, or of several together, has still to do.
    struct DeleteTask {
        /// The next one last. A list, so that a long chain of rules needs no deep stack.
        var doomed: [StoredObject]
        /// Deleted ones that other relationships are to forget.
        var forgotten: [StoredObject] = []
        /// Objects that go if no object that stays refers to them.
        fileprivate var candidates: [StoredObject] = []
        /// Relationships of deleted objects that must lead to no object that stays.
        fileprivate var denials: [(owner: StoredObject, relation: RelationCoder)] = []

        init(_ objects: [StoredObject]) { doomed = objects.reversed() }

        mutating func takeForgotten() -> [StoredObject] {
            defer { forgotten = [] }
            return forgotten
        }
    }

    /// Dooms the candidates that nothing refers to any more. Returns whether there are any.
    func doomUnreferenced(_ task: inout DeleteTask) throws -> Bool {
        var rest: [StoredObject] = []
        for candidate in task.candidates where !candidate.state.contains(.deleted) {
            if try candidate.storedClass != nil && !mayHaveReferrers(candidate) {
                task.doomed.append(candidate)
            } else {
                rest.append(candidate)
            }
        }
        task.candidates = rest
        return !task.doomed.isEmpty
    }

    private func mayHaveReferrers(_ object: StoredObject) throws -> Bool {
        do { return try !findReferrers(of: object, leavesOut: false).isEmpty } catch is StoreError {
            // A record that cannot be read may refer to it.
            return true
        }
    }

    /// Does what the delete rules of the deleted `object` ask for, and adds the rest to `task`.
    /// - Throws: ``StoreError/stepUnderWay`` if a list that must forget it is just being changed.
    func followRules(
        of object: StoredObject, _ storedClass: StoredClass, _ task: inout DeleteTask
    ) throws {
        var otherSides = OtherSides(isGrouping: false)
        storedClass.fields.forEachRelation { relation in
            if relation.isEmpty(at: UnsafeRawPointer(object.address(of: relation))) { return }
            var others = object.objects(in: relation)
            if others.contains(where: { $0.state.contains(.deleted) }) {
                others.removeAll { $0.state.contains(.deleted) }
            }
            guard !others.isEmpty else { return }
            if relation.hasInverse, relation.rule != .cascade {
                for other in others { otherSides.remove(object, from: other, relation, in: self) }
            }
            guard let rule = relation.rule else { return }
            switch rule {
            case .nullify, .noAction:
                break
            case .cascade:
                task.doomed += others
            case .deny:
                task.denials.append((object, relation))
            case .cascadeWhenLastReference:
                task.candidates += others
            }
        }
        otherSides.finish(in: self)
        if otherSides.hasPutOff { throw StoreError.stepUnderWay }
    }

    /// Checks that no object that stays denies the delete, in any order of deletes.
    /// - Throws: ``StoreError/deniedByRule(class:row:field:by:)``
    func checkDenials(_ task: DeleteTask) throws {
        for (owner, relation) in task.denials {
            var known: Set<ObjectIdentifier> = []
            let stayers = owner.objects(in: relation).filter {
                $0.state.isDisjoint(with: [.deleted, .beingDeleted])
                    && known.insert(ObjectIdentifier($0)).inserted
            }
            if stayers.isEmpty { continue }
            throw StoreError.deniedByRule(
                class: owner.storedClass?.name ?? "", row: owner.rowID, field: relation.name,
                by: stayers.map { "\($0.storedClass?.name ?? "\(type(of: $0))") \($0.rowID)" })
        }
    }

    /// Takes deleted objects out of the relationships whose rule asks for it: all together, as what is pending is
    /// gone through once.
    func forgetReferences(to deleted: [StoredObject]) throws {
        let deleted = deleted.filter { $0.storedClass?.tracksReferrers == true }
        if deleted.isEmpty { return }
        let gone = Set(deleted.map { ObjectIdentifier($0) })
        let targets = Set(
            deleted.compactMap { object in
                object.storedClass.map {
                    WrittenReferences.Target(classNumber: $0.number, row: object.rowID)
                }
            })
        let owners = try savedOwners(of: targets, areTracked: true)
        for (_, owner) in owners.inOrder(by: { $0.key < $1.key }) {
            if owner.state.contains(.fault) { fetchContent(of: owner) }
            drop(gone, from: owner)
        }
        // What is pending would be written without a reference to it: no referrer, but it holds one.
        overlay.forEachChanged { owner, _ in drop(gone, from: owner) }
    }

    private func drop(_ gone: Set<ObjectIdentifier>, from owner: StoredObject) {
        for relation in owner.storedClass?.fields.relations ?? [] where relation.rule == .nullify {
            if relation.isEmpty(at: UnsafeRawPointer(owner.address(of: relation))) { continue }
            let leavers = owner.objects(in: relation).filter { gone.contains(ObjectIdentifier($0)) }
            if !leavers.isEmpty { drop(leavers, from: owner, relation) }
        }
    }
}
