/// Reconciles the other sides of edited relationships.
///
/// It looks at the present state of each: an object that leads back already is not changed, so the
/// order of edits does not matter. Many objects for one relationship are put into it in one pass.
struct OtherSides {
    private struct Key: Hashable {
        let object: ObjectIdentifier
        let field: ObjectIdentifier
    }

    /// The objects to put into one relationship, and those to take out of it.
    private struct Change {
        let object: StoredObject
        let field: RelationCoder
        var coming: [StoredObject] = []
        var leaving: [StoredObject] = []
    }

    /// What is put off, and where to find it: mostly there is none.
    private final class Later {
        @exclusivity(unchecked) var changes: [Change] = []
        @exclusivity(unchecked) var positions: [Key: Int] = [:]
        @exclusivity(unchecked) var lastKey: Key?
        @exclusivity(unchecked) var lastPlace = 0

        func position(of object: StoredObject, _ field: RelationCoder) -> Int {
            let key = Key(object: ObjectIdentifier(object), field: ObjectIdentifier(field))
            if key == lastKey { return lastPlace }
            lastKey = key
            lastPlace = positions[key] ?? changes.count
            if lastPlace == changes.count {
                positions[key] = lastPlace
                changes.append(Change(object: object, field: field))
            }
            return lastPlace
        }
    }

    /// Whether several edits are reconciled together, whose other sides may be one object.
    let isGrouping: Bool
    /// Whether an edit was put off because the other side is being changed in place just now.
    var hasPutOff = false
    private var later: Later?
    /// A list that holds one owner, for all objects that lead back to it alone.
    private var alone: [StoredObject] = []
    private var aloneOwner: ObjectIdentifier?

    init(isGrouping: Bool) { self.isGrouping = isGrouping }

    /// `owner` has come to refer to `other` by `relation`. Mostly many objects of one class follow
    /// one another, each read and without an owner: the short path for these costs a tenth of the
    /// long one.
    @inline(__always)
    mutating func add(
        _ owner: StoredObject, to other: StoredObject, _ relation: RelationCoder, in store: Store
    ) {
        if !isGrouping, aloneOwner == ObjectIdentifier(owner),
            let many = relation.likelyAddress(in: other), many.pointee.isEmptyAndAtRest,
            store.noteOtherSide(of: other)
        {
            many.set(alone)
        } else {
            addAnyway(owner, to: other, relation, in: store)
        }
    }

    @inline(never)
    private mutating func addAnyway(
        _ owner: StoredObject, to other: StoredObject, _ relation: RelationCoder, in store: Store
    ) {
        guard let field = store.inverse(of: relation, in: other) else { return }
        if mustWait(for: field, of: other) { return }
        other.state.subtract(.arriving)
        guard field.isMany else {
            return add(owner, toOne: other, unsafeDowncast(field, to: OneCoder.self))
        }
        if isGrouping { return come(owner, into: other, field) }
        let many = unsafeDowncast(field, to: ManyCoder.self)
        if store.lists.contains(owner, in: other, many) { return }
        if aloneOwner != ObjectIdentifier(owner) {
            (alone, aloneOwner) = ([owner], ObjectIdentifier(owner))
        }
        store.append(owner, to: many, of: other, alone: alone)
    }

    /// As `other` can have one owner only, its former owner loses it.
    private mutating func add(
        _ owner: StoredObject, toOne other: StoredObject, _ field: OneCoder
    ) {
        let former = field.object(in: other)
        if former === owner { return }
        if let former, let storedClass = former.storedClass,
            let relation = field.inverse(in: storedClass),
            mustWait(for: relation, of: former)
        {
            return
        }
        other.willChange(field)
        field.set(owner, in: other)
        if let former, let storedClass = former.storedClass,
            let relation = field.inverse(in: storedClass)
        {
            leave(other, from: former, relation)
        }
    }

    mutating func remove(
        _ owner: StoredObject, from other: StoredObject, _ relation: RelationCoder,
        in store: Store
    ) {
        guard let field = store.inverse(of: relation, in: other) else { return }
        if mustWait(for: field, of: other) { return }
        if isGrouping, field.isMany {
            leave(owner, from: other, field)
        } else {
            store.drop(owner, from: other, field)
        }
    }

    /// Whether `object` has one owner by what leads back from `field`, and that is `owner`.
    private static func names(
        _ object: StoredObject, _ owner: StoredObject, _ field: RelationCoder
    ) -> Bool {
        guard let storedClass = object.storedClass, let inverse = field.inverse(in: storedClass),
            !inverse.isMany
        else {
            return false
        }
        return unsafeDowncast(inverse, to: OneCoder.self).object(in: object) === owner
    }

    private mutating func mustWait(for field: RelationCoder, of object: StoredObject) -> Bool {
        guard field.isBeingEdited(at: UnsafeRawPointer(object.address(of: field))) else {
            return false
        }
        hasPutOff = true
        return true
    }

    private mutating func come(
        _ newcomer: StoredObject, into object: StoredObject, _ field: RelationCoder
    ) {
        let later = later ?? Later()
        self.later = later
        later.changes[later.position(of: object, field)].coming.append(newcomer)
    }

    private mutating func leave(
        _ leaver: StoredObject, from object: StoredObject, _ field: RelationCoder
    ) {
        let later = later ?? Later()
        self.later = later
        later.changes[later.position(of: object, field)].leaving.append(leaver)
    }

    /// Does what was put off.
    func finish(in store: Store) {
        guard let later else { return }
        for change in later.changes {
            let (object, field) = (change.object, change.field)
            if object.state.contains(.fault) { store.fetchContent(of: object) }
            guard object.storedClass != nil, !object.state.contains(.deleted) else { continue }
            if !change.coming.isEmpty { store.take(change.coming, into: object, field) }
            // A later edit may have put it back.
            let leaving = change.leaving.filter { !Self.names($0, object, field) }
            if !leaving.isEmpty { store.drop(leaving, from: object, field) }
        }
    }
}
