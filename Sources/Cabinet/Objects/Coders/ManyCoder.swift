import CabinetBackend

final class ManyCoder: RelationCoder {
    init(
        _ targetType: StoredObject.Type, _ declaration: FieldDeclaration?,
        accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        super.init(targetType, isMany: true, declaration, accepts: accepts)
    }

    override func write(at address: UnsafeRawPointer, to buffer: DataBuffer) {
        if address.many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
        buffer.writeRelated(objects(at: address), of: target, keepingGone: isLoose)
    }

    override func read(at address: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        set(try buffer.readAllRelated(of: target, by: self), at: address)
    }

    override func isEmpty(at address: UnsafeRawPointer) -> Bool {
        if address.many.pointee.edit & ManyEdit.away == 0 {
            return address.many.pointee.stored.isEmpty
        }
        return context?.lists.isEmpty(awayFrom: UnsafeMutableRawPointer(mutating: address)) ?? true
    }

    override func objects(at address: UnsafeRawPointer) -> [StoredObject] {
        bringBack(to: UnsafeMutableRawPointer(mutating: address))
        return address.many.pointee.stored
    }

    override func set(_ objects: [StoredObject], at address: UnsafeMutableRawPointer) {
        noteChange(at: address)
        forgetAway(at: address)
        address.many.set(objects)
        address.many.pointee.edit = 0
    }

    override func edit(at address: UnsafeRawPointer) -> UInt32? {
        address.many.pointee.edit & ManyEdit.last
    }

    override func setEdit(_ number: UInt32, at address: UnsafeMutableRawPointer) {
        let kept = ManyEdit.underWay | ManyEdit.away
        address.many.pointee.edit = number | address.many.pointee.edit & kept
    }

    override func isBeingEdited(at address: UnsafeRawPointer) -> Bool {
        address.many.pointee.isBeingEdited
    }

    override func bringBack(to address: UnsafeMutableRawPointer) {
        if address.many.pointee.edit & ManyEdit.away != 0 { context?.lists.bringBack(to: address) }
    }

    private func forgetAway(at address: UnsafeMutableRawPointer) {
        guard address.many.pointee.edit & ManyEdit.away != 0 else { return }
        context?.lists.forget(at: address)
        address.many.pointee.edit &= ~ManyEdit.away
    }

    // MARK: Changes that are no edits

    /// What stands in the field at `address`; empty while the list is away.
    @inline(__always)
    func list(at address: UnsafeMutableRawPointer) -> [StoredObject] { address.many.pointee.stored }

    /// Whether the edit that waits at `address` has `number`, and none is being made just now.
    func isEdited(at address: UnsafeMutableRawPointer, by number: UInt32) -> Bool {
        address.many.pointee.edit & ~ManyEdit.stages == number
    }

    /// Whether the waiting edit at `address` has only appended objects to which nothing leads.
    func isAppended(at address: UnsafeRawPointer) -> Bool {
        address.many.pointee.edit & (ManyEdit.appended | ManyEdit.run) != 0
    }

    /// The edit of the field at `address` has put one object at the end to which nothing leads.
    func noteAppended(at address: UnsafeMutableRawPointer) {
        address.many.pointee.edit |= ManyEdit.appended
    }

    /// Nothing follows from the edit of the field at `address` for other objects.
    func noteFree(at address: UnsafeMutableRawPointer) {
        address.many.pointee.edit |= ManyEdit.free
    }

    /// Makes room for one more object at the end, so that an edit that adds it moves nothing.
    /// - Parameter isShared: whether something else holds the list's memory.
    func makeRoom(at address: UnsafeMutableRawPointer, isShared: Bool = false) {
        let (count, capacity) = (
            address.many.pointee.stored.count, address.many.pointee.stored.capacity
        )
        guard isShared || count == capacity else { return }
        address.many.pointee.stored.reserveCapacity(
            count == capacity ? Swift.max(2 * count, 8) : capacity)
    }

    /// Further edits at `address` are not looked at when they begin. `false`: so already.
    func beginRun(at address: UnsafeMutableRawPointer) -> Bool {
        guard address.many.pointee.edit & ManyEdit.appended != 0 else { return false }
        address.many.pointee.edit &= ~ManyEdit.appended
        address.many.pointee.edit |= ManyEdit.run
        return true
    }

    /// Whether no edit of the field at `address` is being made, or waits to be reconciled.
    func isAtRest(at address: UnsafeMutableRawPointer) -> Bool { address.many.pointee.edit == 0 }

    /// The list in the field at `address` is kept elsewhere from now on.
    func leave(_ address: UnsafeMutableRawPointer) {
        address.many.set([])
        address.many.pointee.edit |= ManyEdit.away
    }

    /// The list is in the field at `address` again.
    func comeBack(_ objects: [StoredObject], to address: UnsafeMutableRawPointer) {
        address.many.pointee.edit &= ~ManyEdit.away
        address.many.set(objects)
    }

    func insert(
        _ object: StoredObject, at position: Int, _ address: UnsafeMutableRawPointer
    ) {
        if address.many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
        noteChange(at: address)
        address.many.pointee.looked = 0
        address.many.pointee.stored.insert(object, at: position)
    }

    func remove(at position: Int, _ address: UnsafeMutableRawPointer) {
        if address.many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
        noteChange(at: address)
        address.many.pointee.stored.remove(at: position)
    }

    /// The objects at `address` without those that are passed over; `nil` if none is.
    /// - Parameter deletes: how many deletes there were of objects that it may hold: after a look
    ///   that found none, only more of them lead to the next one.
    func present(
        at address: UnsafeMutableRawPointer, asOf deletes: UInt32, asWritten: Bool
    ) -> [StoredObject]? {
        if address.many.pointee.looked == deletes { return nil }
        let objects = address.many.pointee.stored
        var isWhole = true
        objects.forEachHeld { if $0.isPassedOver(asWritten: asWritten) { isWhole = false } }
        if isWhole {
            if !asWritten { address.many.pointee.looked = deletes }
            return nil
        }
        return objects.filter { !$0.isPassedOver(asWritten: asWritten) }
    }

    /// Puts `objects` at the end of the list in the field of `owner`, in its own memory.
    func append(_ objects: [StoredObject], in owner: StoredObject) {
        let address = owner.address(of: self)
        owner.noteReferenceChange()
        bringBack(to: address)
        if address.many.pointee.isBeingEdited { ManyEdit.trapOverlap() }
        address.many.pointee.looked = 0
        address.many.pointee.stored.append(contentsOf: objects)
    }

    /// Makes `objects` what stands in the field of `owner`; an edit that waits goes on waiting.
    func replace(with objects: [StoredObject], in owner: StoredObject) {
        let address = owner.address(of: self)
        owner.noteReferenceChange()
        forgetAway(at: address)
        address.many.set(objects)
    }
}

// An array of references has one layout for all classes; objects know how to be released.
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
        // An in-place edit of the list is under way.
        if pointee.isBeingEdited { ManyEdit.trapOverlap() }
        pointee.looked = 0
        pointee.stored = objects
    }
}
