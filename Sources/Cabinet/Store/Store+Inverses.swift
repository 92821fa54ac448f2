import CabinetBackend

extension Store {
    /// As `willChange()` of an object whose content is there, where that asks nobody and tells
    /// nobody; `false` if it would, and nothing was done.
    @inline(__always)
    func noteOtherSide(of object: StoredObject) -> Bool {
        if object.state == [.saved, .watched], isUnobserved {
            changes.appendUpdated(object)
            return true
        }
        return object.state == .inserted.union(.listed)
            || object.state == [.saved, .updated, .listed]
    }

    /// What leads back from `other`, whose content is read, to where `relation` is; `nil` if nothing
    /// does, or if `other` is deleted.
    func inverse(of relation: RelationCoder, in other: StoredObject) -> RelationCoder? {
        guard !other.state.contains(.deleted), let home = other.home,
            let inverse = relation.inverse(in: home)
        else { return nil }
        if other.state.contains(.fault) {
            fetchContent(of: other)
            if other.state.contains(.deleted) { return nil }
        }
        return inverse
    }

    /// Puts `newcomers`, those that are not there yet, at the end of a relationship to many.
    func take(_ newcomers: [StoredObject], into object: StoredObject, _ field: RelationCoder) {
        let many = unsafeDowncast(field, to: ManyCoder.self)
        var objects = object.objects(in: many)
        let count = objects.count
        if newcomers.count == 1 {
            if !many.contains(newcomers[0], in: object) { objects.append(newcomers[0]) }
        } else {
            var known = Set(objects.map { ObjectIdentifier($0) })
            for newcomer in newcomers where known.insert(ObjectIdentifier(newcomer)).inserted {
                objects.append(newcomer)
            }
        }
        guard objects.count > count else { return }
        object.willChange(field)
        many.replace(with: objects, in: object)
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
        let objects = object.objects(in: many)
        let rest: [StoredObject]
        if leavers.count == 1 {
            let leaver = leavers[0]
            guard many.contains(leaver, in: object) else { return }
            rest = objects.count == 1 ? [] : objects.filter { $0 !== leaver }
        } else {
            let gone = Set(leavers.map { ObjectIdentifier($0) })
            rest = objects.filter { !gone.contains(ObjectIdentifier($0)) }
            if rest.count == objects.count { return }
        }
        object.willChange(field)
        many.replace(with: rest, in: object)
    }
}
