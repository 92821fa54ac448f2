import CabinetBackend

extension ChangeSet {
    /// Takes back the changes of `log`, the last first.
    ///
    /// What comes back has its row, its instance if anyone still holds it, and its content with the
    /// same references in the same order.
    /// - Returns: the changes that were made thereby; reverting them does those of `log` again.
    /// - Throws: if an object's present content cannot be read, or its former content was never
    ///   known. Nothing has changed then.
    func revert(_ log: ChangeLog, in context: ObjectContext) throws -> ChangeLog {
        let readObjects = try readObjects(of: log, context)
        revive(log)
        let inverse = ChangeLog(isUndoable: true)
        for entry in log.entries.reversed() {
            let object = entry.home.object(at: entry.row)
            let prior = object.state
            if let list = entry.list {
                if list.isEmpty { continue }
                let redone = context.takeBack(list, in: object)
                inverse.append(
                    .init(
                        kind: .updated, home: entry.home, row: entry.row, priorState: prior,
                        image: nil, list: redone, object: nil))
                markUpdated(object, of: entry.home)
                continue
            }
            if entry.kind == .updated, entry.image == nil { continue }
            let isWhole = entry.image?.isWhole ?? true
            inverse.append(
                .init(
                    kind: entry.kind.opposite, home: entry.home, row: entry.row,
                    priorState: prior,
                    image: entry.kind == .deleted
                        ? nil : context.image(of: object, isWhole: isWhole),
                    object: prior.contains(.saved) ? nil : object))
            if entry.kind == .inserted {
                set(object, of: entry.home, to: Self.deletedState(from: object.state))
            } else if entry.image == nil {
                set(object, of: entry.home, to: [.saved, .fault, .watched])
            } else {
                markUpdated(object, of: entry.home)
                restore(entry, to: object, context)
            }
        }
        // Nobody else may hold them, and a new instance would be a fault.
        withExtendedLifetime(readObjects) {}
        return inverse
    }

    private func markUpdated(_ object: StoredObject, of home: StoredClass) {
        let isSaved = object.state.contains(.saved)
        set(object, of: home, to: isSaved ? [.saved, .updated] : .inserted)
        unwatch(object)
    }

    /// Takes back the changes of `log` as if they had never been: states included.
    func takeBack(_ log: ChangeLog, in context: ObjectContext) {
        revive(log)
        // They go last, as lists that lose them find them by their rows.
        var released: [(home: StoredClass, object: StoredObject)] = []
        for entry in log.entries.reversed() {
            let object = entry.home.object(at: entry.row)
            if entry.kind == .inserted, entry.priorState.isDisjoint(with: [.saved, .deleted]) {
                set(object, of: entry.home, to: .plain)
                released.append((entry.home, object))
                continue
            }
            var prior = entry.priorState.union(.watched)
            // Nobody kept the content of a deleted object that has it in its record.
            if entry.kind == .deleted, entry.image == nil, prior.contains(.saved),
                !prior.isPending, !prior.contains(.unreadable)
            {
                prior.formUnion(.fault)
            }
            set(object, of: entry.home, to: prior)
            if let list = entry.list {
                if !list.isEmpty { _ = context.takeBack(list, in: object) }
            } else {
                restore(entry, to: object, context)
            }
        }
        context.lists.bringAllBack()
        for (home, object) in released { home.release(object) }
        if !released.isEmpty { removeReleased() }
    }

    /// A pending delete of an object: its record goes if it has one.
    static func deletedState(from state: ObjectState) -> ObjectState {
        state.intersection([.saved, .fault, .unreadable]).union(.deleted)
    }

    /// Sees that every deleted row of `log` has an object again, before contents that may refer to
    /// it are restored.
    private func revive(_ log: ChangeLog) {
        for index in log.entries.indices where log.entries[index].kind == .deleted {
            let entry = log.entries[index]
            let object = entry.home.existing(entry.row) ?? formerObject(of: entry)
            let isSaved = object.state.contains(.saved)
            set(object, of: entry.home, to: isSaved ? [.saved, .updated] : .inserted)
        }
    }

    /// The object of a deleted row that nobody stands for.
    private func formerObject(of entry: ChangeLog.Entry) -> StoredObject {
        entry.home.goneRows.remove(entry.row)
        guard let object = entry.object, object.home == nil else {
            return entry.home.makeDeletedObject(at: entry.row)
        }
        entry.home.adopt(object, at: entry.row)
        return object
    }

    /// Gives the object its content back. A class that does not understand its own bytes leaves an
    /// object that is never written.
    private func restore(
        _ entry: ChangeLog.Entry, to object: StoredObject, _ context: ObjectContext
    ) {
        guard let image = entry.image else { return }
        do {
            try context.restore(image, to: object)
            if !entry.home.fetchErrors.isEmpty { entry.home.fetchErrors[entry.row] = nil }
        } catch {
            object.state.formUnion(.unreadable)
            entry.home.fetchErrors[entry.row] = error
        }
    }

    /// The objects whose content is needed to make the changes again, read.
    private func readObjects(
        of log: ChangeLog, _ context: ObjectContext
    ) throws -> [StoredObject] {
        var objects: [StoredObject] = []
        var restored = FewKeys()
        for entry in log.entries.reversed() {
            // What is deleted by now gets its content from the image of then.
            if entry.kind == .deleted { restored.insert(entry.key) }
            if entry.kind != .deleted, restored.contains(entry.key) { continue }
            if let object = try readObject(of: entry, context) { objects.append(object) }
        }
        return objects
    }

    /// The object that a change to be taken back is about, its content read. `nil` if it is deleted.
    private func readObject(
        of entry: ChangeLog.Entry, _ context: ObjectContext
    ) throws -> StoredObject? {
        if let failure = entry.image?.failure { throw failure }
        switch entry.kind {
        case .deleted:
            let isInPlace = entry.home.existing(entry.row)?.state.contains(.saved) == true
            guard entry.image != nil || isInPlace else {
                throw StoreError.contentNotRead(class: entry.home.name, row: entry.row)
            }
            return nil
        case .updated where entry.image == nil && entry.list?.isEmpty != false:
            return nil
        case .inserted, .updated:
            let object = entry.home.object(at: entry.row)
            if object.state.contains(.fault) { context.fetch(object) }
            if object.state.contains(.unreadable) {
                throw entry.home.fetchErrors[entry.row]
                    ?? StoreError.contentNotRead(class: entry.home.name, row: entry.row)
            }
            return object
        }
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
