import CabinetBackend

/// How a relationship comes into a record and out of it, and what else is declared of it.
///
/// It works on fields of every target class alike: an array of objects has the same memory whatever
/// their class, and what is put into one is checked to be of its class first.
class RelationCoder: FieldCoder {
    /// The declared class of the other objects.
    let targetType: StoredObject.Type
    let rule: DeleteRule?
    let isUnique: Bool
    let isMany: Bool
    /// The other side, if this side names it.
    let inverseKeyPath: AnyKeyPath?
    private let accepts: (StoredObject.Type) -> Bool

    /// Where the field lies in its object; set with the table.
    final var offset = 0
    final var name = ""
    /// The declared class in the store, if it is registered there.
    final unowned(unsafe) var target: StoredClass?
    /// Which classes may stand in the relationship, by number.
    private final var accepted = [Bool](repeating: false, count: 256)

    init(
        _ targetType: StoredObject.Type, isMany: Bool, _ declaration: FieldDeclaration?,
        accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        let name = targetType.storageName
        self.targetType = targetType
        self.isMany = isMany
        self.accepts = accepts
        rule = declaration?.rule
        isUnique = declaration?.isUnique ?? false
        inverseKeyPath = declaration?.inverse
        super.init(isMany ? .many(name) : .one(name))
    }

    /// The classes of the store are known now; `home` is the one that has the relationship.
    final func resolve(in context: ObjectContext, of home: StoredClass) {
        target = context.storedClass(of: targetType)
        owner = .passUnretained(home)
        if isUnique { affected.append(.passUnretained(home)) }
        for case let home? in context.classesByNumber {
            accepted[Int(home.number)] = accepts(home.type)
        }
    }

    final func accepts(_ home: StoredClass) -> Bool { accepted[Int(home.number)] }

    /// Whether the rule can only be followed if the store knows who refers to an object.
    final var needsReferrers: Bool {
        rule == .cascadeWhenLastReference || rule == .nullify && inverseKeyPath == nil
    }

    // MARK: The other side

    /// What leads back from objects of other classes, by their number. The classes own their
    /// relationships, and go together.
    @exclusivity(unchecked) private final var inverses: [UInt8: Unmanaged<RelationCoder>] = [:]
    /// The classes whose relationships may change when edits of this one are settled.
    @exclusivity(unchecked) private final var affected: [Unmanaged<StoredClass>] = []
    /// How many edits of the relationship, in all objects, are not settled.
    @exclusivity(unchecked) private final var unsettledEdits = 0

    /// The class that has the relationship.
    private final var owner: Unmanaged<StoredClass>?
    /// Whether an object has one owner only, so that one that gains it takes it from another.
    @exclusivity(unchecked) private final var takesOver = false

    // The answer that was given last.
    @exclusivity(unchecked) private final var lastHome: ObjectIdentifier?
    @exclusivity(unchecked) private final var lastInverse: Unmanaged<RelationCoder>?

    /// Whether somebody listened when the relationship of some object was read.
    @exclusivity(unchecked) final var isWatched = false
    /// Whether somebody is to be told at once what edits of the relationship change elsewhere.
    final var isWatchedFromOtherSide: Bool {
        takesOver && isWatched || inverses.values.contains { $0.takeUnretainedValue().isWatched }
    }

    /// Whether anything leads back.
    final var hasInverse: Bool { !inverses.isEmpty }

    final func setInverse(_ inverse: RelationCoder, in home: StoredClass) {
        inverses[home.number] = .passUnretained(inverse)
        affected.append(.passUnretained(home))
        if !inverse.isMany, let owner {
            takesOver = true
            affected.append(owner)
        }
        lastHome = nil
    }

    /// What leads back from objects of `home`; `nil` from those of another store.
    @inline(__always)
    final func inverse(in home: StoredClass) -> RelationCoder? {
        if ObjectIdentifier(home) != lastHome { lookAt(home) }
        return lastInverse?.takeUnretainedValue()
    }

    private final func lookAt(_ home: StoredClass) {
        lastHome = ObjectIdentifier(home)
        lastInverse = isOfStore(home) ? inverses[home.number] : nil
    }

    /// The store of the class that has the relationship.
    final var context: ObjectContext? { owner?.takeUnretainedValue().context }

    private final func isOfStore(_ home: StoredClass) -> Bool {
        owner?.takeUnretainedValue().context === home.context
    }

    /// Where what leads back from `other` lies, if that is to many and `other` is of the class that
    /// was asked for last; else `nil`, and ``inverse(in:)`` knows.
    @inline(__always)
    final func likelyPlace(in other: StoredObject) -> UnsafeMutablePointer<Many<StoredObject>>? {
        guard let home = other.homeReference, let lastInverse,
            lastHome == home._withUnsafeGuaranteedRef({ ObjectIdentifier($0) })
        else { return nil }
        let offset = lastInverse._withUnsafeGuaranteedRef { $0.isMany ? $0.offset : 0 }
        guard offset > 0 else { return nil }
        let place = Unmanaged.passUnretained(other).toOpaque() + offset
        return place.assumingMemoryBound(to: Many<StoredObject>.self)
    }

    /// The relationship was edited in some object: those who look at what that may change are to
    /// settle it first.
    final func noteUnsettledEdit() {
        if unsettledEdits == 0 {
            for home in affected { home._withUnsafeGuaranteedRef { $0.unsettledRelations += 1 } }
        }
        unsettledEdits += 1
    }

    /// Nothing follows from any edit any more.
    final func forgetUnsettledEdits() {
        guard unsettledEdits > 0 else { return }
        unsettledEdits = 0
        for home in affected { home._withUnsafeGuaranteedRef { $0.unsettledRelations -= 1 } }
    }

    /// Whether edits of the other side that are not settled may change what stands in the
    /// relationship.
    final var awaitsOtherSide: Bool {
        inverses.values.contains { $0.takeUnretainedValue().unsettledEdits > 0 }
    }

    /// Whether edits that are not settled may change what stands in the field at `place`.
    final func awaitsEdits(at place: UnsafeRawPointer) -> Bool {
        if unsettledEdits > 0 {
            if isUnique { return true }
            // The field's own edit takes nothing from it.
            let isOwn = unsettledEdits == 1 && edit(at: place) ?? 0 != 0
            if takesOver, !isOwn { return true }
        }
        return awaitsOtherSide
    }

    /// Checks that objects of `home`, which were read, may stand in the relationship.
    final func check(_ home: StoredClass) throws(StoreError) {
        // What an image keeps of another store was let in by the compiler; the numbers differ.
        if accepts(home) || !isOfStore(home) { return }
        throw .wrongClass(expected: "\(targetType)", found: home.name)
    }

    // MARK: What stands in it

    /// Whether nothing stands in the field at `place`.
    func isEmpty(at place: UnsafeRawPointer) -> Bool { true }

    /// The objects that stand in the field at `place`.
    func objects(at place: UnsafeRawPointer) -> [StoredObject] { [] }

    /// Makes `objects`, all of them of the target class, what stands in the field at `place`.
    /// Whatever edit of it was not settled is none any more.
    func set(_ objects: [StoredObject], at place: UnsafeMutableRawPointer) {}

    /// The number of the edit that is not settled; 0 if there is none. `nil` for a relationship
    /// to one, whose edits are settled at once.
    func edit(at place: UnsafeRawPointer) -> UInt32? { nil }
    func setEdit(_ number: UInt32, at place: UnsafeMutableRawPointer) {}

    /// Sees that the list in the field at `place` is there, not away.
    func bringBack(to place: UnsafeMutableRawPointer) {}

    /// Whether the field at `place` is being changed in place just now.
    func isBeingEdited(at place: UnsafeRawPointer) -> Bool { false }
}
