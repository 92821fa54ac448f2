import CabinetBackend

final class OneCoder: RelationCoder {
    init(
        _ targetType: StoredObject.Type, named name: String? = nil,
        _ declaration: FieldDeclaration?, accepts: @escaping (StoredObject.Type) -> Bool
    ) {
        super.init(targetType, named: name, isMany: false, declaration, accepts: accepts)
    }

    override func write(at address: UnsafeRawPointer, to buffer: DataBuffer) {
        if address.one.pointee == nil { return buffer.writeNothingRelated() }
        buffer.writeRelated(address.one.pointee, of: target, keepingGone: isLoose)
    }

    override func read(at address: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        address.one.pointee =
            try buffer.readNothingRelated() ? nil : buffer.readRelated(of: target, by: self)
    }

    override func isEmpty(at address: UnsafeRawPointer) -> Bool { address.one.pointee == nil }

    override func objects(at address: UnsafeRawPointer) -> [StoredObject] {
        address.one.pointee.map { [$0] } ?? []
    }

    override func set(_ objects: [StoredObject], at address: UnsafeMutableRawPointer) {
        noteChange(at: address)
        address.one.pointee = objects.first
    }

    /// The object that stands in the field of `owner`, which may be deleted.
    func object(in owner: StoredObject) -> StoredObject? {
        UnsafeRawPointer(owner.address(of: self)).one.pointee
    }

    func set(_ object: StoredObject?, in owner: StoredObject) {
        owner.noteReferenceChange()
        owner.address(of: self).one.pointee = object
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
