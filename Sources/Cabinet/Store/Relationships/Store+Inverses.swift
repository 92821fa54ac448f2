import CabinetBackend

extension Store {
    /// As `willChange()` for a relationship; `false` if a recorder or the delegate must know.
    @inline(__always)
    func noteOtherSide(of object: StoredObject) -> Bool {
        let state = object.state.subtracting(.knownRelations)
        if state == [.saved, .reportsChange], isUnobserved {
            changes.appendUpdated(object)
            return true
        }
        guard state == .inserted.union(.listed) || state == [.saved, .updated, .listed] else {
            return false
        }
        object.state = state
        return true
    }

    /// The inverse of `relation` in `other`, which is read for it; `nil` if there is none or
    /// `other` is deleted.
    func inverse(of relation: RelationCoder, in other: StoredObject) -> RelationCoder? {
        guard !other.state.contains(.deleted), let storedClass = other.storedClass,
            let inverse = relation.inverse(in: storedClass)
        else { return nil }
        if other.state.contains(.fault) {
            fetchContent(of: other)
            if other.state.contains(.deleted) { return nil }
        }
        return inverse
    }

    /// More objects than these are put into a list or taken out of it in one pass over it.
    private static let fewObjects = 8

    /// Puts `newcomers`, those that are not there yet, at the end of a relationship to many.
    func take(_ newcomers: [StoredObject], into object: StoredObject, _ field: RelationCoder) {
        let many = unsafeDowncast(field, to: ManyCoder.self)
        if newcomers.count <= Self.fewObjects {
            for newcomer in newcomers where !lists.contains(newcomer, in: object, many) {
                append(newcomer, to: many, of: object)
            }
            return
        }
        let missing = missing(newcomers, in: object.objects(in: many))
        if missing.isEmpty { return }
        if let prior = prepareChange(of: many, in: object) {
            replace(many, of: object, with: object.objects(in: many) + missing, prior)
        } else {
            many.append(missing, in: object)
        }
    }

    private func missing(
        _ newcomers: [StoredObject], in objects: [StoredObject]
    ) -> [StoredObject] {
        lists.visits += 2 * objects.count
        var missing = Set(newcomers.lazy.map { ObjectIdentifier($0) })
        // Most objects of a long list were made before the newcomers, elsewhere in memory.
        guard let lowest = missing.min(), let highest = missing.max() else { return [] }
        objects.forEachHeld { object in
            let known = ObjectIdentifier(object)
            if known >= lowest, known <= highest { missing.remove(known) }
        }
        return newcomers.filter { missing.remove(ObjectIdentifier($0)) != nil }
    }

    /// Takes `leavers`, those that are there, out of a relationship of `object`.
    func drop(_ leavers: [StoredObject], from object: StoredObject, _ field: RelationCoder) {
        guard field.isMany else {
            let one = unsafeDowncast(field, to: OneCoder.self)
            guard let present = one.object(in: object), leavers.contains(where: { $0 === present })
            else { return }
            object.willChange(field)
            return one.set(nil, in: object)
        }
        let many = unsafeDowncast(field, to: ManyCoder.self)
        if leavers.count <= Self.fewObjects {
            for leaver in leavers { remove(leaver, from: many, of: object) }
            return
        }
        let objects = object.objects(in: many)
        lists.visits += 2 * objects.count
        let gone = Set(leavers.map { ObjectIdentifier($0) })
        let rest = objects.filter { !gone.contains(ObjectIdentifier($0)) }
        if rest.count < objects.count {
            replace(many, of: object, with: rest, prepareChange(of: many, in: object))
        }
    }

    func drop(_ leaver: StoredObject, from object: StoredObject, _ field: RelationCoder) {
        guard field.isMany else {
            let one = unsafeDowncast(field, to: OneCoder.self)
            guard one.object(in: object) === leaver else { return }
            object.willChange(field)
            return one.set(nil, in: object)
        }
        remove(leaver, from: unsafeDowncast(field, to: ManyCoder.self), of: object)
    }

    // MARK: Lists

    /// Puts `newcomer` at the end of `many`. `alone` holds it alone: equal fields share that.
    func append(
        _ newcomer: StoredObject, to many: ManyCoder, of object: StoredObject,
        alone: [StoredObject]? = nil
    ) {
        let prior = prepareChange(of: many, in: object)
        let position = lists.count(in: object, many)
        if position == 0, let alone {
            many.replace(with: alone, in: object)
        } else {
            lists.insert(newcomer, at: position, in: object, many)
        }
        if let prior {
            note(.insertion(of: newcomer, at: position, many, in: self), of: object, prior)
        }
    }

    /// Takes `leaver` out of `many` of `object` wherever it stands there.
    func remove(_ leaver: StoredObject, from many: ManyCoder, of object: StoredObject) {
        if let list = lists.list(awayFrom: object, many) {
            guard list.contains(leaver) else { return }
            let prior = prepareChange(of: many, in: object)
            // The delegate or an observer, called before the change, may have brought it back.
            if lists.isAway(list, from: object, many) {
                while list.contains(leaver), let position = list.removeFirst(leaver) {
                    lists.visits += 1
                    guard let prior else { continue }
                    note(.removal(of: leaver, at: position, many, in: self), of: object, prior)
                }
                return
            }
        }
        guard let found = lists.position(of: leaver, in: object, many) else { return }
        let prior = prepareChange(of: many, in: object)
        // The delegate or an observer, called before the change, may have changed the list.
        var next: Int? =
            lists.isThere(leaver, at: found, in: object, many)
            ? found : lists.position(of: leaver, in: object, many)
        while let position = next {
            lists.remove(at: position, in: object, many)
            if let prior {
                note(.removal(of: leaver, at: position, many, in: self), of: object, prior)
            }
            next = lists.position(of: leaver, in: object, many, from: position)
        }
    }

    /// - Parameter prior: what ``prepareChange(of:in:)`` has given.
    func replace(
        _ many: ManyCoder, of object: StoredObject, with objects: [StoredObject],
        _ prior: ObjectState?
    ) {
        guard let prior else { return many.replace(with: objects, in: object) }
        let former = FormerList(object.objects(in: many))
        many.replace(with: objects, in: object)
        let change = ListChange(from: former, to: objects)
        note(ListEdit(change, of: many, in: self), of: object, prior)
    }

    /// `many` of `object` is about to change, not by an edit of its own.
    /// - Returns: the object's state before; `nil` if the change need not be recorded.
    func prepareChange(of many: ManyCoder, in object: StoredObject) -> ObjectState? {
        let prior = object.state
        object.noteListChange(of: many, byEdit: false)
        object.noteReferenceChange()
        guard changes.isRecording, let classReference = object.classReference,
            !object.state.isDisjoint(with: [.inserted, .updated]),
            many.edit(at: UnsafeRawPointer(object.address(of: many))) == 0
        else { return nil }
        return classReference._withUnsafeGuaranteedRef { storedClass in
            guard recordsLists(of: object, storedClass),
                changes.openLogs.last?.coversLists(of: object, storedClass) != true
            else { return nil }
            return prior
        }
    }

    private func note(_ edit: consuming ListEdit, of object: StoredObject, _ prior: ObjectState) {
        guard let storedClass = object.classReference else { return }
        changes.note(edit, of: storedClass, object.rowID, priorState: prior)
    }
}
