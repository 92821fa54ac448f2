import CabinetBackend

/// What relationships ask of the other side: who is to come into which field, and who to leave it.
struct InverseChanges {
    private struct Key: Hashable {
        let object: ObjectIdentifier
        let field: ObjectIdentifier
    }
    private struct Pair: Hashable {
        let field: Key
        let object: ObjectIdentifier
    }

    /// One field of one object.
    final class Change {
        let object: StoredObject
        let field: RelationCoder
        fileprivate(set) var leaving: [StoredObject] = []
        fileprivate(set) var coming: [StoredObject] = []

        fileprivate init(_ object: StoredObject, _ field: RelationCoder) {
            self.object = object
            self.field = field
        }
    }

    private(set) var changes: [Change] = []
    private var places: [Key: Int] = [:]
    /// Pairs that came together, on both sides.
    private var together: Set<Pair> = []

    private mutating func change(of object: StoredObject, _ field: RelationCoder) -> Change {
        let key = Key(object: ObjectIdentifier(object), field: ObjectIdentifier(field))
        if let place = places[key] { return changes[place] }
        let change = Change(object, field)
        places[key] = changes.count
        changes.append(change)
        return change
    }

    private static func pair(
        _ object: StoredObject, _ field: RelationCoder, _ other: StoredObject
    ) -> Pair {
        Pair(
            field: Key(object: ObjectIdentifier(object), field: ObjectIdentifier(field)),
            object: ObjectIdentifier(other))
    }

    /// What stood in `relation` of `object` has become something else.
    mutating func note(
        _ object: StoredObject, _ relation: RelationCoder, from old: [StoredObject],
        to new: [StoredObject]
    ) {
        let (gone, added) = difference(old, new)
        for other in added {
            guard let inverse = inverse(of: relation, in: other) else { continue }
            together.insert(Self.pair(object, relation, other))
            change(of: other, inverse).coming.append(object)
        }
        for other in gone {
            guard let inverse = inverse(of: relation, in: other) else { continue }
            change(of: other, inverse).leaving.append(object)
        }
    }

    /// Whether `other` came into `field` of `object` by an edit of that very field.
    func cameTogether(_ object: StoredObject, _ field: RelationCoder, _ other: StoredObject) -> Bool
    {
        together.contains(Self.pair(object, field, other))
    }

    private func inverse(of relation: RelationCoder, in other: StoredObject) -> RelationCoder? {
        guard let home = other.home, !other.state.contains(.deleted) else { return nil }
        return relation.inverse(in: home)
    }
}

/// Who left an array altogether, and who is new in it, each once. Linear.
func difference(
    _ old: [StoredObject], _ new: [StoredObject]
) -> (gone: [StoredObject], added: [StoredObject]) {
    var start = 0
    let shorter = min(old.count, new.count)
    while start < shorter, old[start] === new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] === new[new.count - 1 - end] { end += 1 }
    let oldMiddle = old[start..<(old.count - end)]
    let newMiddle = new[start..<(new.count - end)]
    if oldMiddle.isEmpty, newMiddle.isEmpty { return ([], []) }
    // What both have at their ends is neither gone nor new.
    return (
        missing(oldMiddle, in: newMiddle, new, start, end),
        missing(newMiddle, in: oldMiddle, old, start, end)
    )
}

/// The objects of `middle`, each once, that are neither in `otherMiddle` nor in the first `start`
/// or the last `end` of `other`.
private func missing(
    _ middle: ArraySlice<StoredObject>, in otherMiddle: ArraySlice<StoredObject>,
    _ other: [StoredObject], _ start: Int, _ end: Int
) -> [StoredObject] {
    guard !middle.isEmpty else { return [] }
    var known = Set(otherMiddle.map { ObjectIdentifier($0) })
    var found = middle.filter { known.insert(ObjectIdentifier($0)).inserted }
    guard !found.isEmpty, start + end > 0 else { return found }
    if found.count == 1 {
        let one = found[0]
        let isThere =
            other[..<start].contains { $0 === one }
            || other[(other.count - end)...].contains { $0 === one }
        return isThere ? [] : found
    }
    var rest = Set(found.map { ObjectIdentifier($0) })
    for object in other[..<start] { rest.remove(ObjectIdentifier(object)) }
    for object in other[(other.count - end)...] { rest.remove(ObjectIdentifier(object)) }
    if rest.count < found.count { found.removeAll { !rest.contains(ObjectIdentifier($0)) } }
    return found
}

extension Store {
    /// Makes the other sides right.
    func apply(_ inverses: InverseChanges) {
        for change in inverses.changes {
            let leaving = change.leaving.filter {
                !inverses.cameTogether(change.object, change.field, $0)
            }
            guard !(leaving.isEmpty && change.coming.isEmpty) else { continue }
            if change.object.state.contains(.fault) { fetchContent(of: change.object) }
            guard change.object.home != nil, !change.object.state.contains(.deleted) else {
                continue
            }
            if change.field.isMany {
                applyToMany(change, leaving)
            } else {
                applyToOne(change, leaving)
            }
        }
    }

    private func applyToMany(_ change: InverseChanges.Change, _ leaving: [StoredObject]) {
        let (object, field) = (change.object, change.field)
        var present = object.objects(in: field)
        let count = present.count
        if !leaving.isEmpty {
            let gone = Set(leaving.map { ObjectIdentifier($0) })
            present.removeAll { gone.contains(ObjectIdentifier($0)) }
        }
        var isChanged = present.count != count
        if change.coming.count == 1 {
            let one = change.coming[0]
            if !present.contains(where: { $0 === one }) {
                present.append(one)
                isChanged = true
            }
        } else {
            var known = Set(present.map { ObjectIdentifier($0) })
            for other in change.coming where known.insert(ObjectIdentifier(other)).inserted {
                present.append(other)
                isChanged = true
            }
        }
        guard isChanged else { return }
        object.willChange()
        let place = object.place(of: field)
        let edit = field.edit(at: UnsafeRawPointer(place)) ?? 0
        field.set(present, at: place)
        field.setEdit(edit, at: place)
    }

    private func applyToOne(_ change: InverseChanges.Change, _ leaving: [StoredObject]) {
        let (object, field) = (change.object, change.field)
        let present = object.objects(in: field).first
        if let new = change.coming.last {
            guard new !== present else { return }
            object.willChange()
            field.set([new], at: object.place(of: field))
            // It can have one owner only: the others lose it.
            for owner in change.coming.dropLast() + (present.map { [$0] } ?? [])
            where owner !== new { drop(object, from: owner, field) }
        } else if let present, leaving.contains(where: { $0 === present }) {
            object.willChange()
            field.set([], at: object.place(of: field))
        }
    }

    /// Takes `object` out of the relationship of `owner` that is the inverse of `field`.
    private func drop(_ object: StoredObject, from owner: StoredObject, _ field: RelationCoder) {
        guard let home = owner.home, let relation = field.inverse(in: home) else { return }
        if owner.state.contains(.fault) { fetchContent(of: owner) }
        let others = owner.objects(in: relation)
        guard !owner.state.contains(.deleted), others.contains(where: { $0 === object }) else {
            return
        }
        owner.willChange()
        let place = owner.place(of: relation)
        let edit = relation.edit(at: UnsafeRawPointer(place)) ?? 0
        relation.set(others.filter { $0 !== object }, at: place)
        relation.setEdit(edit, at: place)
    }
}
