import CabinetBackend

extension Store {
    /// Deletes `object` after its `prepareForDelete()` has agreed; the next save removes its
    /// record.
    ///
    /// All or nothing: if the object, or one that it deletes in turn, throws, everything that was
    /// done on the way is taken back. Deleting an object twice does nothing.
    /// - Throws: ``StoreError/denied(class:row:reason:)`` or what else `prepareForDelete()` throws,
    ///   ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``.
    public func delete(_ object: StoredObject) throws {
        try checkOpen()
        let home = try home(of: object)
        guard object.state.isDisjoint(with: [.deleted, .beingDeleted]) else { return }
        try step { try deleteWithRules(object, of: home) }
        tellDelegate { $0.storeDidChange(self) }
    }

    /// Deletes all objects of exactly class `type`, as ``delete(_:)`` does, all or none.
    public func deleteAll<Object: StoredObject>(of type: Object.Type) throws {
        try checkOpen()
        let home = try registered(type)
        try step {
            for object in try objects(of: type)
            where object.state.isDisjoint(with: [.deleted, .beingDeleted]) {
                try deleteWithRules(object, of: home)
            }
        }
        tellDelegate { $0.storeDidChange(self) }
    }

    private func deleteWithRules(_ object: StoredObject, of home: StoredClass) throws {
        object.state.formUnion(.beingDeleted)
        defer { object.state.subtract(.beingDeleted) }
        try object.prepareForDelete()
        tellDelegate { $0.store(self, willDelete: object) }
        noteDelete(object, of: home)
        changes.set(object, of: home, to: ChangeSet.deletedState(from: object.state))
    }

    private func noteDelete(_ object: StoredObject, of home: StoredClass) {
        // Only undo needs the content: a step that is taken back before a save finds it in place.
        var image: ContentImage?
        if changes.recorder != nil {
            if object.state.contains(.fault) { fetchContent(of: object) }
            if !object.state.contains(.unreadable) { image = self.image(of: object) }
        }
        let prior = object.state.subtracting(.beingDeleted)
        changes.note(
            .init(
                kind: .deleted, home: home, row: object.rowID, priorState: prior, image: image,
                object: prior.contains(.saved) ? nil : object))
    }

    /// Runs `body` as one step: what it changes is kept together, or taken back if it throws.
    func step(_ body: () throws -> Void) throws {
        let log = changes.openLog()
        do {
            try body()
            changes.closeLog(keeping: true)
        } catch {
            changes.closeLog(keeping: false)
            changes.takeBack(log, in: self)
            throw error
        }
    }
}
