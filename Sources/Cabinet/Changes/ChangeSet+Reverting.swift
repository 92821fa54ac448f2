import CabinetBackend

extension ChangeSet {
    /// Takes back the changes of `log`, the last first.
    ///
    /// What comes back has its row, its instance if anyone still holds it, and its content with the
    /// same references in the same order.
    /// - Returns: the changes that were made thereby; reverting them does those of `log` again.
    /// - Throws: if an object's present content cannot be read. Nothing has changed then.
    func revert(_ log: ChangeLog, in context: ObjectContext) throws -> ChangeLog {
        let readObjects = try log.entries.map { try readObject(of: $0, context) }
        revive(log)
        let inverse = ChangeLog()
        for entry in log.entries.reversed() {
            let object = entry.home.object(at: entry.row)
            let prior = object.state
            inverse.append(
                .init(
                    kind: entry.kind.opposite, home: entry.home, row: entry.row,
                    priorState: prior,
                    image: entry.kind == .deleted ? nil : context.image(of: object),
                    object: prior.contains(.saved) ? nil : object))
            if entry.kind == .inserted {
                set(object, of: entry.home, to: Self.deletedState(from: object.state))
            } else {
                try? restore(entry, to: object, context)
                let isSaved = object.state.contains(.saved)
                set(object, of: entry.home, to: isSaved ? [.saved, .updated] : .inserted)
                unwatch(object)
            }
        }
        // Nobody else may hold them, and a new instance would be a fault.
        withExtendedLifetime(readObjects) {}
        return inverse
    }

    /// Takes back the changes of `log` as if they had never been: states included.
    func takeBack(_ log: ChangeLog, in context: ObjectContext) {
        revive(log)
        for entry in log.entries.reversed() {
            let object = entry.home.object(at: entry.row)
            if entry.kind == .inserted, entry.priorState == .plain {
                set(object, of: entry.home, to: .plain)
                entry.home.release(object)
                continue
            }
            try? restore(entry, to: object, context)
            set(object, of: entry.home, to: entry.priorState.union(.watched))
        }
    }

    /// A pending delete of an object: its record goes if it has one.
    static func deletedState(from state: ObjectState) -> ObjectState {
        state.intersection([.saved, .fault, .unreadable]).union(.deleted)
    }

    /// Sees that every deleted row of `log` has an object again, before contents that may refer to
    /// it are restored.
    private func revive(_ log: ChangeLog) {
        for entry in log.entries where entry.kind == .deleted {
            entry.home.goneRows.remove(entry.row)
            let object: StoredObject
            if let existing = entry.home.existing(entry.row) {
                object = existing
            } else {
                object = entry.object ?? entry.home.type.init()
                entry.home.adopt(object, at: entry.row)
            }
            let isSaved = object.state.contains(.saved)
            set(object, of: entry.home, to: isSaved ? [.saved, .updated] : .inserted)
            object.state.subtract(.deleted)
        }
    }

    private func restore(
        _ entry: ChangeLog.Entry, to object: StoredObject, _ context: ObjectContext
    ) throws {
        guard let image = entry.image else { return }
        try context.restore(image, to: object)
    }

    /// The object that a change to be taken back is about, its content read. `nil` if it is deleted.
    private func readObject(
        of entry: ChangeLog.Entry, _ context: ObjectContext
    ) throws -> StoredObject? {
        guard entry.kind != .deleted else { return nil }
        let object = entry.home.object(at: entry.row)
        if object.state.contains(.fault) { context.fetch(object) }
        if object.state.contains(.unreadable) {
            throw entry.home.fetchErrors[entry.row]
                ?? StoreError.contentNotRead(class: entry.home.name, row: entry.row)
        }
        return object
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
