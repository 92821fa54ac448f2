import CabinetBackend

extension Store {
    /// All objects of class `type` and, if asked for, of its registered subclasses: class by class
    /// in the order of their numbers, then by row. Otherwise as ``objects(of:)``.
    public func objects<Object: StoredObject>(
        of type: Object.Type, includingSubclasses: Bool
    ) throws -> [Object] {
        try classes(type, includingSubclasses).flatMap { try objects(of: $0) }
    }

    /// Calls `body` with each object of class `type` and, if asked for, of its registered
    /// subclasses. Otherwise as ``forEach(_:_:)``.
    public func forEach<Object: StoredObject>(
        _ type: Object.Type, includingSubclasses: Bool, _ body: (Object) throws -> Void
    ) throws {
        for type in try classes(type, includingSubclasses) { try forEach(type, body) }
    }

    /// How many objects of class `type` and, if asked for, of its registered subclasses there are.
    public func count<Object: StoredObject>(
        of type: Object.Type, includingSubclasses: Bool
    ) throws -> Int {
        try classes(type, includingSubclasses).reduce(0) { try $0 + count(of: $1) }
    }

    private func classes<Object: StoredObject>(
        _ type: Object.Type, _ includesSubclasses: Bool
    ) throws -> [Object.Type] {
        try checkOpen()
        guard includesSubclasses else { return [type] }
        return classesByNumber.compactMap { $0?.type as? Object.Type }
    }
}
