import CabinetBackend

extension Store {
    /// Makes every earlier save as safe as ``Durability/full`` makes them.
    /// - Throws: ``StoreError/closed``, or a ``BackendError``.
    public func sync() throws {
        try checkOpen()
        try backend.sync()
    }

    var hasEnded: Bool { isClosed }

    /// Throws once the store is closed. Waits for the end of a save in the background.
    func checkOpen() throws(StoreError) {
        if isClosed { throw .closed }
        if backgroundSave != nil { endBackgroundSave() }
    }

    /// Throws if something is under way that needs the pending changes as they are.
    func checkIdle() throws(StoreError) {
        try checkOpen()
        if enumerations > 0 { throw .enumerating }
        if isBusyWithStep { throw .stepUnderWay }
    }

    func storedClass(of object: StoredObject) throws(StoreError) -> StoredClass {
        guard let storedClass = object.storedClass else {
            throw .notInStore(class: "\(type(of: object))")
        }
        guard storedClass.context === self else { throw .wrongStore(class: storedClass.name) }
        return storedClass
    }
}
