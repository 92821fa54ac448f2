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
        buffer.writeRelated(objects(at: place), of: target)
    }

    override func read(at place: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        set(try buffer.readAllRelated(of: target, by: self), at: place)
    }

    override func isEmpty(at place: UnsafeRawPointer) -> Bool {
        if place.many.pointee.edit & ManyEdit.away == 0 { return place.many.pointee.stored.isEmpty }
        return objects(at: place).isEmpty
    }

    override func objects(at place: UnsafeRawPointer) -> [StoredObject] {
        bringBack(to: UnsafeMutableRawPointer(mutating: place))
        return place.many.pointee.stored
    }

    override func set(_ objects: [StoredObject], at place: UnsafeMutableRawPointer) {
        forgetAway(at: place)
        place.many.set(objects)
        place.many.pointee.edit = 0
    }

    override func edit(at place: UnsafeRawPointer) -> UInt32? {
        place.many.pointee.edit & ManyEdit.last
    }

    override func setEdit(_ number: UInt32, at place: UnsafeMutableRawPointer) {
        place.many.pointee.edit = number | place.many.pointee.edit & ~ManyEdit.last
    }

    override func isBeingEdited(at place: UnsafeRawPointer) -> Bool {
        place.many.pointee.isBeingEdited
    }

    override func bringBack(to place: UnsafeMutableRawPointer) {
        if place.many.pointee.edit & ManyEdit.away != 0 { context?.lists.bringBack(to: place) }
    }

    private func forgetAway(at place: UnsafeMutableRawPointer) {
        guard place.many.pointee.edit & ManyEdit.away != 0 else { return }
        context?.lists.forget(at: place)
        place.many.pointee.edit &= ~ManyEdit.away
    }

    // MARK: Changes that are no edits

    /// What stands in the field at `place`; empty while the list is away.
    @inline(__always)
    func list(at place: UnsafeMutableRawPointer) -> [StoredObject] { place.many.pointee.stored }

    /// Whether no edit of the field at `place` is being made, or waits for being settled.
    func isAtRest(at place: UnsafeMutableRawPointer) -> Bool { place.many.pointee.edit == 0 }

    /// The list in the field at `place` is kept elsewhere from now on.
    func leave(_ place: UnsafeMutableRawPointer) {
        place.many.set([])
        place.many.pointee.edit |= ManyEdit.away
    }

    /// The list is in the field at `place` again.
    func comeBack(_ objects: [StoredObject], to place: UnsafeMutableRawPointer) {
        place.many.pointee.edit &= ~ManyEdit.away
        place.many.set(objects)
    }

    func insert(
        _ object: StoredObject, at position: Int, _ place: UnsafeMutableRawPointer
    ) {
        if place.many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
        place.many.pointee.stored.insert(object, at: position)
    }

    func remove(at position: Int, _ place: UnsafeMutableRawPointer) {
        if place.many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
        place.many.pointee.stored.remove(at: position)
    }

    /// Makes `objects` what stands in the field of `owner`; an edit that waits for being settled
    /// goes on waiting.
    func replace(with objects: [StoredObject], in owner: StoredObject) {
        let place = owner.place(of: self)
        forgetAway(at: place)
        place.many.set(objects)
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
