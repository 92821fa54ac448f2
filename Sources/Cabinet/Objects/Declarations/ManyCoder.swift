import CabinetBackend

/// The coder of a `Many`.
final class ManyCoder: RelationCoder {
    init(
        _ targetType: StoredObject.Type, _ declaration: FieldDeclaration?,
        accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        super.init(targetType, isMany: true, declaration, accepts: accepts)
    }

    override func write(at place: UnsafeRawPointer, to buffer: DataBuffer) {
        if place.many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
        buffer.writeRelated(place.many.pointee.stored, of: target)
    }

    override func read(at place: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        set(try buffer.readAllRelated(of: target, by: self), at: place)
    }

    override func isEmpty(at place: UnsafeRawPointer) -> Bool { place.many.pointee.stored.isEmpty }

    override func objects(at place: UnsafeRawPointer) -> [StoredObject] {
        place.many.pointee.stored
    }

    override func set(_ objects: [StoredObject], at place: UnsafeMutableRawPointer) {
        place.many.set(objects)
        place.many.pointee.edit = 0
    }

    override func edit(at place: UnsafeRawPointer) -> UInt32? {
        place.many.pointee.edit & ~ManyEdit.underWay
    }

    override func setEdit(_ number: UInt32, at place: UnsafeMutableRawPointer) {
        place.many.pointee.edit = number | place.many.pointee.edit & ManyEdit.underWay
    }

    override func isBeingEdited(at place: UnsafeRawPointer) -> Bool {
        place.many.pointee.isBeingEdited
    }

    // MARK: Changes that are no edits

    /// Whether `object` stands in the field of `owner`. One that came last is found first.
    func contains(_ object: StoredObject, in owner: StoredObject) -> Bool {
        owner.place(of: self).many.pointee.stored.reversed().contains { $0 === object }
    }

    /// Appends `object` to the field of `owner`. `alone` holds just `object`: fields that hold the
    /// same objects share their memory.
    func append(_ object: StoredObject, alone: [StoredObject], in owner: StoredObject) {
        let many = owner.place(of: self).many
        if many.pointee.stored.isEmpty {
            many.set(alone)
        } else {
            if many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
            many.pointee.stored.append(object)
        }
    }

    /// Makes `objects` what stands in the field of `owner`; an edit that waits for being settled
    /// goes on waiting.
    func replace(with objects: [StoredObject], in owner: StoredObject) {
        owner.place(of: self).many.set(objects)
    }
}

// An array of references has one layout for all classes, and objects are released by what they are
// themselves.
extension UnsafeRawPointer {
    fileprivate var many: UnsafePointer<Many<StoredObject>> {
        assumingMemoryBound(to: Many<StoredObject>.self)
    }
}

extension UnsafeMutableRawPointer {
    fileprivate var many: UnsafeMutablePointer<Many<StoredObject>> {
        assumingMemoryBound(to: Many<StoredObject>.self)
    }
}

extension UnsafeMutablePointer<Many<StoredObject>> {
    /// Makes `objects` what stands in the field; the number of its edit stays.
    @inline(__always)
    func set(_ objects: [StoredObject]) {
        // Somebody changes the list through a reference to its memory.
        if pointee.isBeingEdited { ManyEdit.trapOverlap() }
        pointee.stored = objects
    }
}
