import CabinetBackend

/// How a relationship comes into a record and out of it, and what else is declared of it.
///
/// It works on fields of every target class alike: an array of objects has the same memory whatever
/// their class, and what is put into one is checked first.
class RelationCoder: FieldCoder {
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
    @exclusivity(unchecked) private final var accepted = [Bool](repeating: false, count: 256)

    /// - Parameter name: the storage name of the target's class; `nil` for that of `targetType`.
    init(
        _ targetType: StoredObject.Type, named name: String? = nil, isMany: Bool,
        _ declaration: FieldDeclaration?, accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        let name = name ?? targetType.storageName
        self.targetType = targetType
        self.isMany = isMany
        self.accepts = accepts
        rule = declaration?.rule
        isUnique = declaration?.isUnique ?? false
        inverseKeyPath = declaration?.inverse
        super.init(isMany ? .many(name) : .one(name))
    }

    /// The classes of the store are known now; `storedClass` is the one that has the relationship.
    final func resolve(in context: ObjectContext, of storedClass: StoredClass) {
        target = context.storedClass(of: targetType)
        owner = .passUnretained(storedClass)
        if isUnique { affected.append(.passUnretained(storedClass)) }
        for case let storedClass? in context.classesByNumber {
            accepted[Int(storedClass.number)] = accepts(storedClass.type)
        }
    }

    final func admits(_ type: StoredObject.Type) -> Bool { accepts(type) }

    final func accepts(_ storedClass: StoredClass) -> Bool { accepted[Int(storedClass.number)] }

    /// Whether nothing takes a target out of the relationship when it is deleted: reading passes deleted
    /// ones over, and records keep their rows.
    @inline(__always)
    final var isLoose: Bool { inverses.isEmpty && rule != .nullify }

    /// Whether the store needs the referrers of an object to follow the rule.
    final var needsReferrers: Bool {
        rule == .cascadeWhenLastReference || rule == .nullify && inverseKeyPath == nil
    }

    // MARK: The other side

    /// What leads back from objects of other classes, by number. Classes own their relationships.
    @exclusivity(unchecked) private final var inverses: [UInt8: Unmanaged<RelationCoder>] = [:]
    /// The classes whose relationships may change when edits of this one are reconciled.
    @exclusivity(unchecked) private final var affected: [Unmanaged<StoredClass>] = []
    /// How many edits of the relationship, in all objects, are not reconciled.
    @exclusivity(unchecked) private final var unreconciledEdits = 0

    private final var owner: Unmanaged<StoredClass>?
    /// Whether an object has one owner only, so that one that gains it takes it from another.
    @exclusivity(unchecked) private final var takesOver = false

    // The answer that was given last.
    @exclusivity(unchecked) private final var lastClass: ObjectIdentifier?
    @exclusivity(unchecked) private final var lastInverse: Unmanaged<RelationCoder>?

    @exclusivity(unchecked) final var isObserved = false
    /// Whether edits may change observed objects: such edits are reconciled at once.
    final var isObservedFromOtherSide: Bool {
        takesOver && isObserved || inverses.values.contains { $0.takeUnretainedValue().isObserved }
    }

    /// Whether each object has one partner at most, on both sides.
    final var leadsToOne: Bool {
        !isMany && inverses.values.contains { !$0.takeUnretainedValue().isMany }
    }

    final var hasInverse: Bool { !inverses.isEmpty }

    /// Whether edits change more than what stands there: the other side, or repeated objects.
    final var isFollowed: Bool { isUnique || !inverses.isEmpty }

    final func setInverse(_ inverse: RelationCoder, in storedClass: StoredClass) {
        inverses[storedClass.number] = .passUnretained(inverse)
        affected.append(.passUnretained(storedClass))
        if !inverse.isMany, let owner {
            takesOver = true
            affected.append(owner)
        }
        lastClass = nil
    }

    /// What leads back from objects of `storedClass`; `nil` from those of another store.
    @inline(__always)
    final func inverse(in storedClass: StoredClass) -> RelationCoder? {
        if ObjectIdentifier(storedClass) != lastClass { lookAt(storedClass) }
        return lastInverse?.takeUnretainedValue()
    }

    private final func lookAt(_ storedClass: StoredClass) {
        lastClass = ObjectIdentifier(storedClass)
        lastInverse = isOfStore(storedClass) ? inverses[storedClass.number] : nil
    }

    final var context: ObjectContext? { owner?.takeUnretainedValue().context }

    private final func isOfStore(_ storedClass: StoredClass) -> Bool {
        owner?.takeUnretainedValue().context === storedClass.context
    }

    /// Where what leads back from `other`, of the class asked for last, lies, if it is to many.
    @inline(__always)
    final func likelyAddress(in other: StoredObject) -> UnsafeMutablePointer<Many<StoredObject>>? {
        guard let storedClass = other.classReference, let lastInverse,
            lastClass == storedClass._withUnsafeGuaranteedRef({ ObjectIdentifier($0) })
        else { return nil }
        let offset = lastInverse._withUnsafeGuaranteedRef { $0.isMany ? $0.offset : 0 }
        guard offset > 0 else { return nil }
        let address = Unmanaged.passUnretained(other).toOpaque() + offset
        return address.assumingMemoryBound(to: Many<StoredObject>.self)
    }

    /// The relationship was edited in some object: readers of what follows must reconcile first.
    final func noteUnreconciledEdit() {
        if unreconciledEdits == 0 {
            for storedClass in affected {
                storedClass._withUnsafeGuaranteedRef { $0.unreconciledRelations += 1 }
            }
        }
        unreconciledEdits += 1
    }

    final func forgetUnreconciledEdits() {
        guard unreconciledEdits > 0 else { return }
        unreconciledEdits = 0
        for storedClass in affected {
            storedClass._withUnsafeGuaranteedRef { $0.unreconciledRelations -= 1 }
        }
    }

    /// Whether unreconciled edits of the other side may change what stands in the relationship.
    final var awaitsOtherSide: Bool {
        inverses.values.contains { $0.takeUnretainedValue().unreconciledEdits > 0 }
    }

    final var hasUnreconciledEdits: Bool { unreconciledEdits > 0 }

    /// Whether edits that are not reconciled may change what stands in the field at `address`.
    final func awaitsEdits(at address: UnsafeRawPointer) -> Bool {
        if unreconciledEdits > 0 {
            if isUnique { return true }
            // The field's own edit takes nothing from it.
            let isOwn = unreconciledEdits == 1 && edit(at: address) ?? 0 != 0
            if takesOver, !isOwn { return true }
        }
        return awaitsOtherSide
    }

    /// Checks that objects of `storedClass`, which were read, may stand in the relationship.
    final func check(_ storedClass: StoredClass) throws(StoreError) {
        // What an image keeps of another store was let in by the compiler; the numbers differ.
        if accepts(storedClass) || !isOfStore(storedClass) { return }
        throw .wrongClass(expected: "\(targetType)", found: storedClass.name)
    }

    // MARK: What stands in it

    func isEmpty(at address: UnsafeRawPointer) -> Bool { true }

    func objects(at address: UnsafeRawPointer) -> [StoredObject] { [] }

    /// Something is put into the field at `address` or taken out of it.
    @inline(__always)
    final func noteChange(at address: UnsafeMutableRawPointer) {
        Unmanaged<StoredObject>.fromOpaque(address - offset)
            ._withUnsafeGuaranteedRef { $0.noteReferenceChange() }
    }

    /// Sets the field to `objects`, all of the target class. An unreconciled edit of it is dropped.
    func set(_ objects: [StoredObject], at address: UnsafeMutableRawPointer) {}

    /// The number of the unreconciled edit; 0 for none, `nil` for a relationship to one.
    func edit(at address: UnsafeRawPointer) -> UInt32? { nil }
    func setEdit(_ number: UInt32, at address: UnsafeMutableRawPointer) {}

    /// Brings the list of the field at `address` back into the field if it is away.
    func bringBack(to address: UnsafeMutableRawPointer) {}

    /// Whether the field at `address` is being changed in place just now.
    func isBeingEdited(at address: UnsafeRawPointer) -> Bool { false }
}
