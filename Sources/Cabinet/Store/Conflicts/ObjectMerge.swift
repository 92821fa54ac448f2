import CabinetBackend

/// What becomes of one object that this store has changed and another one too.
struct ObjectMerge {
    enum Outcome {
        case value([UInt8])
        case objects([StoredObject])
        /// A list made of `base`: it is merged with what stands there when the store does its
        /// changes again, as those of other objects may have changed it by then.
        case edits(base: [StoredObject], mine: [StoredObject])
    }

    let object: StoredObject
    let storedClass: StoredClass
    /// The fields that become something else than what the other store has saved, by index.
    private(set) var kept: [(index: Int, outcome: Outcome)] = []
    /// The values that become what the other store has saved, by index.
    private(set) var taken: [(index: Int, bytes: [UInt8])] = []
    /// Whether other sides change: the others have, or an edit here stands on one side alone.
    private(set) var changesRelations = false
    private let mayBeOneSided: Bool

    struct Choice {
        /// Whether a field that this store has not changed stays as it is here, too.
        var takesMine = false
        var sides: [String: ConflictResolution.Side] = [:]

        /// Whether only what either has changed says what a field becomes.
        var isByChanges: Bool { !takesMine && sides.isEmpty }

        func side(of entry: FieldTable.Entry) -> ConflictResolution.Side? {
            let mine: ConflictResolution.Side? = takesMine ? .mine : nil
            return sides.isEmpty ? mine : sides[entry.name] ?? mine
        }
    }

    /// Compares the object with `base`, what it was before both changes (`nil`: not known), and
    /// with `theirs`. `mayBeOneSided` is as ``TakingUp/mayBeOneSided``.
    init(
        _ object: StoredObject, _ storedClass: StoredClass, base: StoredObject?,
        theirs: StoredObject, _ choice: Choice, mayBeOneSided: Bool, by scratch: Scratch,
        in store: Store
    ) {
        (self.object, self.storedClass) = (object, storedClass)
        self.mayBeOneSided = mayBeOneSided
        let fields = storedClass.fields
        scratch.mine.take(object, fields, in: store)
        scratch.theirs.take(theirs, fields, in: store)
        if let base { scratch.base.take(base, fields, in: store) }
        for (index, entry) in fields.entries.enumerated() {
            let side = choice.side(of: entry)
            if let relation = entry.coder as? RelationCoder {
                compare(index, relation, base, theirs, side)
            } else {
                compare(index, side, isBaseKnown: base != nil, scratch)
            }
        }
    }

    /// Chooses the outcome of a field that holds a value.
    @inline(__always)
    private mutating func compare(
        _ index: Int, _ side: ConflictResolution.Side?, isBaseKnown: Bool, _ scratch: Scratch
    ) {
        if scratch.mine.isSame(index, as: scratch.theirs) { return }
        let isMine =
            switch side {
            case .mine: true
            case .theirs: false
            case nil: !isBaseKnown || !scratch.mine.isSame(index, as: scratch.base)
            }
        if !isMine {
            taken.append((index, [UInt8](scratch.theirs[index])))
        } else {
            kept.append((index, .value([UInt8](scratch.mine[index]))))
        }
    }

    /// Memory that is used for one object after another.
    final class Scratch {
        let base = FieldImages()
        let mine = FieldImages()
        let theirs = FieldImages()
    }

    private mutating func compare(
        _ index: Int, _ relation: RelationCoder, _ base: StoredObject?, _ theirs: StoredObject,
        _ side: ConflictResolution.Side?
    ) {
        let all = object.objects(in: relation)
        // What others have deleted since is there in memory alone.
        let here = all.filter { !$0.state.isSuperset(of: [.deleted, .buried]) }
        if here.count < all.count { changesRelations = true }
        let there = theirs.objects(in: relation)
        if here.elementsEqual(there, by: ===) { return }
        let before = base?.objects(in: relation)
        let isChangedThere = before.map { !$0.elementsEqual(there, by: ===) } ?? true
        let isChangedHere = before.map { !$0.elementsEqual(here, by: ===) } ?? true
        if isChangedThere || mayBeOneSided && relation.hasInverse { changesRelations = true }
        switch side {
        case .mine: kept.append((index, .objects(here)))
        case .theirs: changesRelations = true
        case nil:
            guard isChangedHere else { return }
            if relation.isMany, let before {
                return kept.append((index, .edits(base: before, mine: here)))
            }
            // An object that is in no relationship any more here, mostly as another one took its
            // place, and that the other store has put into one, stays there.
            let yields = isChangedThere && relation.hasInverse && here.isEmpty && before != nil
            if !yields { kept.append((index, .objects(here))) }
        }
    }

    /// The list that `mine` and `theirs`, both made of `base`, become.
    static func merge(
        base: [StoredObject], mine: [StoredObject], theirs: [StoredObject]
    ) -> [StoredObject] {
        if theirs.elementsEqual(base, by: ===) { return mine }
        var objects: [ObjectIdentifier: StoredObject] = [:]
        func names(_ list: [StoredObject]) -> [ObjectIdentifier] {
            list.map { object in
                let name = ObjectIdentifier(object)
                objects[name] = object
                return name
            }
        }
        let merge = ListMerge(base: names(base), mine: names(mine), theirs: names(theirs))
        return merge.result.compactMap { objects[$0] }
    }
}
