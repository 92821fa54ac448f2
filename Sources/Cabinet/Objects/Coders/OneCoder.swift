import CabinetBackend

/// The coder of a `One`.
final class OneCoder: RelationCoder {
    init(
        _ targetType: StoredObject.Type, _ declaration: FieldDeclaration?,
        accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        super.init(targetType, isMany: false, declaration, accepts: accepts)
    }

    override func write(at place: UnsafeRawPointer, to buffer: DataBuffer) {
        buffer.writeRelated(place.one.pointee, of: target)
    }

    override func read(at place: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        place.one.pointee = try buffer.readRelated(of: target, by: self)
    }

    override func isEmpty(at place: UnsafeRawPointer) -> Bool { place.one.pointee == nil }

    override func objects(at place: UnsafeRawPointer) -> [StoredObject] {
        place.one.pointee.map { [$0] } ?? []
    }

    override func set(_ objects: [StoredObject], at place: UnsafeMutableRawPointer) {
        place.one.pointee = objects.first
    }

    /// The object that stands in the field of `owner`.
    func object(in owner: StoredObject) -> StoredObject? {
        UnsafeRawPointer(owner.place(of: self)).one.pointee
    }

    func set(_ object: StoredObject?, in owner: StoredObject) {
        owner.place(of: self).one.pointee = object
    }
}

// A reference has one layout for all classes, and an object is released by what it is itself.
extension UnsafeRawPointer {
    fileprivate var one: UnsafePointer<StoredObject?> {
        assumingMemoryBound(to: StoredObject?.self)
    }
}

extension UnsafeMutableRawPointer {
    fileprivate var one: UnsafeMutablePointer<StoredObject?> {
        assumingMemoryBound(to: StoredObject?.self)
    }
}
