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
        _ targetType: StoredObject.Type, _ type: FieldType, _ declaration: FieldDeclaration?,
        accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        self.targetType = targetType
        self.accepts = accepts
        rule = declaration?.rule
        isUnique = declaration?.isUnique ?? false
        inverseKeyPath = declaration?.inverse
        super.init(type)
    }

    /// The classes of the store are known now.
    final func resolve(in context: ObjectContext) {
        target = context.storedClass(of: targetType)
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
    private final var inverses: [UInt8: Unmanaged<RelationCoder>] = [:]
    /// How many edits of the relationship, in all objects, are not settled.
    final var unsettledEdits = 0

    /// Whether anything leads back.
    final var hasInverse: Bool { !inverses.isEmpty }

    final func setInverse(_ inverse: RelationCoder, in home: StoredClass) {
        inverses[home.number] = .passUnretained(inverse)
    }

    /// What leads back from objects of `home`.
    final func inverse(in home: StoredClass) -> RelationCoder? {
        inverses[home.number]?.takeUnretainedValue()
    }

    /// Whether edits of the other side may change what stands here.
    final var awaitsInverse: Bool {
        inverses.values.contains { $0.takeUnretainedValue().unsettledEdits > 0 }
    }

    var isMany: Bool { false }

    /// Checks that objects of `home`, which were read, may stand in the relationship.
    final func check(_ home: StoredClass) throws(StoreError) {
        if accepts(home) { return }
        throw .wrongClass(expected: "\(targetType)", found: home.name)
    }

    /// The objects that stand in the field at `place`.
    func objects(at place: UnsafeRawPointer) -> [StoredObject] { [] }

    /// Makes `objects`, all of them of the target class, what stands in the field at `place`.
    func set(_ objects: [StoredObject], at place: UnsafeMutableRawPointer) {}

    /// The number of the edit that is not settled; 0 if there is none. `nil` for a relationship
    /// to one, whose edits are settled at once.
    func edit(at place: UnsafeRawPointer) -> UInt32? { nil }
    func setEdit(_ number: UInt32, at place: UnsafeMutableRawPointer) {}
}

/// The coder of a `One`.
final class OneCoder: RelationCoder {
    init(
        _ targetType: StoredObject.Type, _ declaration: FieldDeclaration?,
        accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        super.init(targetType, .one(targetType.storageName), declaration, accepts: accepts)
    }

    override func write(at place: UnsafeRawPointer, to buffer: DataBuffer) {
        buffer.writeRelated(place.one.pointee, of: target)
    }

    override func read(at place: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        place.one.pointee = try buffer.readRelated(of: target, by: self)
    }

    override func objects(at place: UnsafeRawPointer) -> [StoredObject] {
        place.one.pointee.map { [$0] } ?? []
    }

    override func set(_ objects: [StoredObject], at place: UnsafeMutableRawPointer) {
        place.one.pointee = objects.first
    }
}

/// The coder of a `Many`.
final class ManyCoder: RelationCoder {
    override var isMany: Bool { true }

    init(
        _ targetType: StoredObject.Type, _ declaration: FieldDeclaration?,
        accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        super.init(targetType, .many(targetType.storageName), declaration, accepts: accepts)
    }

    override func write(at place: UnsafeRawPointer, to buffer: DataBuffer) {
        buffer.writeRelated(place.many.pointee.stored, of: target)
    }

    override func read(at place: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        set(try buffer.readAllRelated(of: target, by: self), at: place)
    }

    override func objects(at place: UnsafeRawPointer) -> [StoredObject] {
        place.many.pointee.stored
    }

    override func set(_ objects: [StoredObject], at place: UnsafeMutableRawPointer) {
        place.many.pointee.stored = objects
        place.many.pointee.edit = 0
    }

    override func edit(at place: UnsafeRawPointer) -> UInt32? { place.many.pointee.edit }

    override func setEdit(_ number: UInt32, at place: UnsafeMutableRawPointer) {
        place.many.pointee.edit = number
    }
}

// A reference, and an array of references, has one layout for all classes, and objects are
// released by what they are themselves.
extension UnsafeRawPointer {
    fileprivate var one: UnsafePointer<StoredObject?> {
        assumingMemoryBound(to: StoredObject?.self)
    }
    fileprivate var many: UnsafePointer<Many<StoredObject>> {
        assumingMemoryBound(to: Many<StoredObject>.self)
    }
}

extension UnsafeMutableRawPointer {
    fileprivate var one: UnsafeMutablePointer<StoredObject?> {
        assumingMemoryBound(to: StoredObject?.self)
    }
    fileprivate var many: UnsafeMutablePointer<Many<StoredObject>> {
        assumingMemoryBound(to: Many<StoredObject>.self)
    }
}
