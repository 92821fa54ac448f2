import CabinetBackend

extension Store {
    /// Deletes `object` after its `prepareForDelete()` has agreed; the next save removes its
    /// record.
    ///
    /// All or nothing: if the object, or one that it deletes in turn, throws, everything that was
    /// done on the way is taken back. Deleting an object twice does nothing.
    /// - Throws: ``StoreError/denied(class:row:reason:)`` or what else `prepareForDelete()` throws,
    ///   ``StoreError/deniedByRule(class:row:field:by:)``, ``StoreError/notInStore(class:)``,
    ///   ``StoreError/wrongStore(class:)``, for an object that a rule comes upon too,
    ///   ``StoreError/stepUnderWay`` from a closure that is just changing a relationship that must
    ///   forget the object, ``StoreError/closed``.
    public func delete(_ object: StoredObject) throws {
        try checkOpen()
        _ = try storedClass(of: object)
        guard object.state.isDisjoint(with: [.deleted, .beingDeleted]) else { return }
        beginChange()
        defer { endChange() }
        announceChange()
        try step { try deleteWithRules([object]) }
    }

    /// Deletes `objects` together, as ``delete(_:)`` does, all or none: what a rule says is judged by
    /// what stays when all of them are gone. One step of undo.
    /// - Throws: what ``delete(_:)`` does.
    public func delete<Objects: Sequence>(contentsOf objects: Objects) throws
    where Objects.Element: StoredObject {
        try checkOpen()
        let objects = Array(objects)
        for object in objects { _ = try storedClass(of: object) }
        beginChange()
        defer { endChange() }
        announceChange()
        try step { try deleteWithRules(objects) }
    }

    /// Deletes all objects of exactly class `type`, as ``delete(_:)`` does, all or none. What a rule
    /// says is judged by what stays when all of them are gone.
    /// - Throws: what ``delete(_:)`` and ``objects(of:unreadable:)`` do.
    public func deleteAll<Object: StoredObject>(of type: Object.Type) throws {
        try checkOpen()
        _ = try registered(type)
        beginChange()
        defer { endChange() }
        announceChange()
        try step { try deleteWithRules(try objects(of: type)) }
    }

    func deleteWithRules(_ objects: [StoredObject]) throws {
        var task = DeleteTask(objects)
        repeat {
            while let next = task.doomed.popLast() {
                guard next.storedClass != nil,
                    next.state.isDisjoint(with: [.deleted, .beingDeleted])
                else { continue }
                // A rule may have come upon an object of another store.
                try deleteAlone(next, of: try storedClass(of: next), &task)
            }
            try forgetReferences(to: task.takeForgotten())
        } while try doomUnreferenced(&task)
        try checkDenials(task)
    }

    /// Deletes `object`; what its rules delete in turn is added to `task`.
    private func deleteAlone(
        _ object: StoredObject, of storedClass: StoredClass, _ task: inout DeleteTask
    ) throws {
        object.state.formUnion(.beingDeleted)
        defer { object.state.subtract(.beingDeleted) }
        try object.prepareForDelete()
        reconcileEdits()
        let isRelated = storedClass.isNullified || !storedClass.fields.relations.isEmpty
        if isRelated, object.state.contains(.fault) { fetchContent(of: object) }
        announce { $0.store(self, willDelete: object) }
        // The row may have turned out to be gone.
        if object.state.contains(.deleted) { return }
        noteDelete(object, of: storedClass)
        if object.state.contains(.deleted) { return }
        changes.set(object, of: storedClass, to: ChangeSet.deletedState(from: object.state))
        guard isRelated else { return }
        if storedClass.isNullified { task.forgotten.append(object) }
        try followRules(of: object, storedClass, &task)
    }

    private func noteDelete(_ object: StoredObject, of storedClass: StoredClass) {
        var image: ContentImage?
        let isUndoable = changes.openLogs.first?.isUndoable == true
        if isUndoable, object.state.contains(.fault) {
            fetchContent(of: object)
            if object.state.contains(.deleted) { return }
        }
        // A step that is taken back finds the content of what has no changes in its record.
        if isUndoable || object.isChanged, object.state.isDisjoint(with: [.fault, .unreadable]) {
            image = self.image(of: object)
        }
        let prior = object.state
        changes.note(
            .init(
                kind: .deleted, storedClass: storedClass, row: object.rowID, priorState: prior,
                image: image,
                object: prior.contains(.saved) ? nil : object))
    }

    /// Runs `body` as one step: what it changes is kept together, or taken back if it throws.
    @inline(__always)
    func step(keeping isKept: Bool = true, _ body: () throws -> Void) throws {
        reconcileEdits()
        beginChange()
        defer { endChange() }
        let log = changes.openLog()
        do {
            try body()
            reconcileEdits()
            closeLog(keeping: isKept)
        } catch {
            tell(takeBack(log))
            throw error
        }
        // Observers were already called for changes and inserts.
        if observed.count > 0 { tell(notices(of: log, onlyDeleted: true)) }
    }
}
