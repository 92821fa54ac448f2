import CabinetBackend

extension ChangeSet {
    /// Takes back the changes of `log`, the last first. What comes back has its row, its instance
    /// if anything still holds it, and its content with the same references in the same order.
    /// - Returns: the changes that this made; reverting them does those of `log` again.
    /// - Throws: if an object's present content cannot be read, or its former content was never
    ///   known. Nothing has changed then.
    func revert(_ log: ChangeLog, in context: ObjectContext) throws -> ChangeLog {
        endReports()
        // They are held here: they may have no other owner, and a new instance would be a fault.
        let readObjects = try readObjects(of: log, context)
        let unwritten = unwritten(of: log)
        revive(log)
        let inverse = ChangeLog.make(isUndoable: true, serial: foreign.serial)
        inverse.reserveBytes(for: log.count)
        log.forEachReversed { revert($0, in: log, context, inverse) }
        withExtendedLifetime(readObjects) {}
        if !unwritten.isEmpty { markOwners(of: unwritten, in: context) }
        return inverse
    }

    @inline(__always)
    private func revert(
        _ entry: UnsafePointer<ChangeLog.Entry>, in log: ChangeLog, _ context: ObjectContext,
        _ inverse: ChangeLog
    ) {
        entry.pointee.classReference._withUnsafeGuaranteedRef {
            revert(entry, of: $0, in: log, context, inverse)
        }
    }

    @inline(__always)
    private func revert(
        _ entry: UnsafePointer<ChangeLog.Entry>, of storedClass: StoredClass,
        in log: ChangeLog, _ context: ObjectContext, _ inverse: ChangeLog
    ) {
        let row = entry.pointee.row
        let object = storedClass.object(at: row)
        let prior = object.state
        if entry.pointee.list.isThere {
            if entry.pointee.list.isEmpty { return }
            inverse.append(
                context.takeBack(entry.pointee.list, in: object),
                of: entry.pointee.classReference, row,
                priorState: prior)
            return markUpdated(object, of: storedClass)
        }
        if entry.pointee.kind == .updated, entry.pointee.image == nil { return }
        let isWhole = entry.pointee.image?.isWhole ?? true
        inverse.append(
            .init(
                kind: entry.pointee.kind.opposite, storedClass: storedClass, row: row,
                priorState: prior,
                image: entry.pointee.kind == .deleted
                    ? nil : context.image(of: object, isWhole: isWhole),
                object: prior.contains(.saved) ? nil : object))
        if entry.pointee.kind == .inserted {
            set(object, of: storedClass, to: Self.deletedState(from: object.state))
        } else if let image = entry.pointee.image {
            markUpdated(object, of: storedClass)
            let others = foreign.isEmpty ? [] : foreign.fields(of: entry.pointee.key, in: log)
            context.keeping(others, of: object) {
                restore(image, to: object, at: row, of: storedClass, context)
            }
        } else {
            set(object, of: storedClass, to: [.saved, .fault, .reportsChange])
        }
    }

    private func markUpdated(_ object: StoredObject, of storedClass: StoredClass) {
        let isSaved = object.state.contains(.saved)
        set(object, of: storedClass, to: isSaved ? [.saved, .updated] : .inserted)
        stopReporting(object)
    }

    /// Takes back the changes of `log` as if they had never been: states included.
    func takeBack(_ log: ChangeLog, in context: ObjectContext) {
        endReports()
        revive(log)
        // They go last, as lists that lose them find them by their rows.
        var released: [(storedClass: StoredClass, object: StoredObject)] = []
        log.forEachReversed { entry in
            let (storedClass, row) = (entry.pointee.storedClass, entry.pointee.row)
            let (kind, priorState) = (entry.pointee.kind, entry.pointee.priorState)
            let object = storedClass.object(at: row)
            if kind == .inserted, priorState.isDisjoint(with: [.saved, .deleted]) {
                set(object, of: storedClass, to: .plain)
                return released.append((storedClass, object))
            }
            var prior = priorState.union(.reportsChange)
            // No image was kept of a deleted object whose record still has its content.
            if kind == .deleted, entry.pointee.image == nil, prior.contains(.saved),
                !prior.isPending, !prior.contains(.unreadable)
            {
                prior.formUnion(.fault)
            }
            set(object, of: storedClass, to: prior)
            if entry.pointee.list.isThere {
                if entry.pointee.list.isEmpty { return }
                _ = context.takeBack(entry.pointee.list, in: object)
            } else if let image = entry.pointee.image {
                restore(image, to: object, at: row, of: storedClass, context)
            }
        }
        context.lists.bringAllBack()
        for (storedClass, object) in released { storedClass.release(object) }
        if !released.isEmpty { removeReleased() }
    }

    /// A pending delete of an object: its record goes if it has one.
    static func deletedState(from state: ObjectState) -> ObjectState {
        state.intersection([.saved, .fault, .unreadable]).union(.deleted)
    }

    /// Gives every deleted row of `log` an object again, before contents that may refer to it.
    private func revive(_ log: ChangeLog) {
        for index in 0..<log.count { log.withEntry(at: index) { revive($0) } }
    }

    /// The deleted objects that never had a record, though there was a save since, which left out
    /// references.
    private func unwritten(of log: ChangeLog) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = []
        for index in 0..<log.count {
            log.withEntry(at: index) { entry in
                guard entry.pointee.kind == .deleted, entry.pointee.storedClass.loose.isTarget,
                    let object = entry.pointee.storedClass.existing(entry.pointee.row),
                    object.state.isSuperset(of: [.deleted, .buried]),
                    !object.state.contains(.wasSaved)
                else { return }
                found.insert(ObjectIdentifier(object))
            }
        }
        return found
    }

    /// Has the next save write the objects in memory whose loose relationships hold one of `targets`.
    private func markOwners(of targets: Set<ObjectIdentifier>, in context: ObjectContext) {
        for storedClass in context.classes {
            let relations = storedClass.fields.relations.filter(\.isLoose)
            if relations.isEmpty { continue }
            var owners: [StoredObject] = []
            storedClass.forEachObject { owner in
                guard owner.state.isDisjoint(with: [.fault, .unreadable, .deleted]),
                    !owner.state.isPending,
                    relations.contains(where: { relation in
                        owner.objects(in: relation).contains {
                            targets.contains(ObjectIdentifier($0))
                        }
                    })
                else { return }
                owners.append(owner)
            }
            for owner in owners { markUpdated(owner, of: storedClass) }
        }
    }

    @inline(__always)
    private func revive(_ entry: UnsafePointer<ChangeLog.Entry>) {
        guard entry.pointee.kind == .deleted else { return }
        entry.pointee.classReference._withUnsafeGuaranteedRef { storedClass in
            let object = storedClass.existing(entry.pointee.row) ?? formerObject(of: entry)
            let isSaved = object.state.contains(.saved)
            set(object, of: storedClass, to: isSaved ? [.saved, .updated] : .inserted)
        }
    }

    /// The object of a deleted row that has no object in memory.
    private func formerObject(of entry: UnsafePointer<ChangeLog.Entry>) -> StoredObject {
        let (storedClass, row) = (entry.pointee.storedClass, entry.pointee.row)
        storedClass.goneRows.remove(row)
        guard let object = entry.pointee.object, object.storedClass == nil else {
            return storedClass.makeDeletedObject(at: row)
        }
        storedClass.take(object, at: row)
        return object
    }

    /// Gives the object its content back. A class that does not understand its own bytes leaves an
    /// object that is never written.
    private func restore(
        _ image: ContentImage, to object: StoredObject, at row: RowID, of storedClass: StoredClass,
        _ context: ObjectContext
    ) {
        do {
            try context.restore(image, to: object)
            if !storedClass.fetchErrors.isEmpty { storedClass.fetchErrors[row] = nil }
        } catch {
            object.state.formUnion(.unreadable)
            storedClass.fetchErrors[row] = error
        }
    }

    /// The objects whose content is needed to make the changes again, read.
    private func readObjects(
        of log: ChangeLog, _ context: ObjectContext
    ) throws -> FewObjects {
        var objects = FewObjects()
        var restored = FewKeys()
        try log.forEachReversed { entry in
            // What is deleted by now gets its content from the step's image.
            if entry.pointee.kind == .deleted {
                restored.insert(entry.pointee.key)
            } else if restored.contains(entry.pointee.key) {
                return
            }
            if let object = try readObject(of: entry, context) { objects.append(object) }
        }
        return objects
    }

    /// The object of a change to be taken back, its content read. `nil` if it is deleted.
    private func readObject(
        of entry: UnsafePointer<ChangeLog.Entry>, _ context: ObjectContext
    ) throws -> StoredObject? {
        if let failure = entry.pointee.image?.failure { throw failure }
        switch entry.pointee.kind {
        case .deleted:
            if entry.pointee.image != nil { return nil }
            let object = entry.pointee.storedClass.existing(entry.pointee.row)
            guard object?.state.contains(.saved) == true else {
                throw StoreError.contentNotRead(
                    class: entry.pointee.storedClass.name, row: entry.pointee.row)
            }
            return nil
        case .updated where entry.pointee.image == nil && entry.pointee.list.isEmpty:
            return nil
        case .inserted, .updated:
            let row = entry.pointee.row
            let object = entry.pointee.classReference._withUnsafeGuaranteedRef {
                $0.object(at: row)
            }
            if object.state.contains(.fault) { context.fetch(object) }
            if object.state.contains(.unreadable) {
                throw entry.pointee.storedClass.fetchErrors[row]
                    ?? StoreError.contentNotRead(
                        class: entry.pointee.storedClass.name, row: entry.pointee.row)
            }
            return object
        }
    }
}

/// Objects that are held, which takes no memory while it is one.
private struct FewObjects {
    private var first: StoredObject?
    private var others: [StoredObject] = []

    mutating func append(_ object: StoredObject) {
        if first == nil { first = object } else { others.append(object) }
    }
}

/// A set of keys that takes no memory while it holds one.
private struct FewKeys {
    private var first: UInt64?
    private var others: Set<UInt64> = []

    func contains(_ key: UInt64) -> Bool {
        first == key || !others.isEmpty && others.contains(key)
    }

    mutating func insert(_ key: UInt64) {
        if first == nil { first = key } else if first != key { others.insert(key) }
    }
}

extension ChangeLog.Entry.Kind {
    /// What takes such a change back.
    var opposite: Self {
        switch self {
        case .inserted: .deleted
        case .updated: .updated
        case .deleted: .inserted
        }
    }
}
