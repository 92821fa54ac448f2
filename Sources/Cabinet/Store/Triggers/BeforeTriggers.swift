import CabinetBackend

/// The triggers that a store's saves ask before they write.
final class BeforeTriggers {
    /// A trigger of one class.
    struct Asked {
        let trigger: BeforeTrigger
        /// One of these must have changed; `nil`: anything.
        let fields: FieldSet?
    }

    private var byClass: [UInt8: [Asked]] = [:]
    private var classes = ClassNumbers()

    func add(_ trigger: BeforeTrigger, _ fields: FieldSet?, to storedClass: StoredClass) {
        classes.insert(storedClass.number)
        byClass[storedClass.number, default: []].append(Asked(trigger: trigger, fields: fields))
    }

    subscript(storedClass: StoredClass) -> [Asked] { byClass[storedClass.number] ?? [] }

    /// Whether there are triggers of the class of an object.
    func concern(_ object: StoredObject) -> Bool {
        var isConcerned = false
        object.withStoredClass { isConcerned = classes.contains($0.number) }
        return isConcerned
    }
}

/// One attempt of a save to bring its triggers to rest: what each of them knows of each object.
final class TriggerPass {
    private struct Call: Hashable {
        let trigger: Int
        let object: UInt64
    }

    /// What a trigger knows of an object since it was called for it.
    private struct Known {
        let object: StoredObject
        /// `nil`: it was deleted.
        let image: ContentImage?
    }

    static let mostRounds = 1_000

    private let triggers: BeforeTriggers
    private unowned let store: Store
    private var known: [Call: Known] = [:]
    private var rounds = 0
    /// What triggers and validation have changed of objects in steps of undo.
    private(set) var edits: [UInt64: ForeignEdits.Edit] = [:]

    init(_ triggers: BeforeTriggers, of store: Store) {
        (self.triggers, self.store) = (triggers, store)
    }

    /// All has come to rest: keeps what steps of undo must know, while the objects are in memory.
    func noteEdits() {
        guard let recorder = store.changes.recorder, let log = store.changes.openLogs.last else {
            return
        }
        edits = store.edits(in: log, of: recorder.keys)
    }

    /// Asks the triggers of all that is pending.
    func askAll() throws {
        var pending: [StoredObject] = []
        store.changes.objects.forEachHeld { if triggers.concern($0) { pending.append($0) } }
        _ = try ask(pending)
    }

    /// Asks the triggers of `objects`, and of what they change, until nothing is new to them.
    /// - Returns: whether any was called.
    /// - Throws: what a trigger throws; ``StoreError/triggersUnstable(classes:)``.
    func ask(_ objects: [StoredObject]) throws -> Bool {
        var waiting = objects
        var isCalled = false
        while true {
            let called = try store.changedObjects {
                for object in waiting where try ask(about: object) { isCalled = true }
            }
            waiting = called.filter(triggers.concern)
            if waiting.isEmpty { return isCalled }
            rounds += 1
            guard rounds < Self.mostRounds else {
                throw StoreError.triggersUnstable(
                    classes: Set(waiting.compactMap { $0.storedClass?.name }).inOrder())
            }
        }
    }

    private func ask(about object: StoredObject) throws -> Bool {
        guard let storedClass = object.storedClass, storedClass.context === store else {
            return false
        }
        var isCalled = false
        for (index, asked) in triggers[storedClass].enumerated() {
            let call = Call(trigger: index, object: ChangeLog.key(storedClass, object.rowID))
            // The save refuses what cannot be read.
            if !object.state.contains(.deleted),
                !object.state.isDisjoint(with: [.fault, .unreadable])
            {
                return isCalled
            }
            guard let change = try change(of: object, storedClass, since: known[call], asked)
            else { continue }
            try asked.trigger.body(object, change)
            isCalled = true
            store.reconcileEdits()
            let isThere =
                object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
                && object.storedClass === storedClass
            known[call] = Known(object: object, image: isThere ? store.image(of: object) : nil)
        }
        return isCalled
    }

    /// What has become of `object` since a trigger was called for it or, if it was not, since the last
    /// save; `nil` if nothing has that concerns the trigger.
    private func change(
        of object: StoredObject, _ storedClass: StoredClass, since known: Known?,
        _ asked: BeforeTriggers.Asked
    ) throws -> ChangedObject? {
        let isThere = !object.state.contains(.deleted)
        let wasThere: Bool
        let former: StoredObject?
        if let known {
            wasThere = known.image != nil
            if !wasThere, !isThere { return nil }
            if isThere, let image = known.image, store.image(of: object).isSame(as: image) {
                return nil
            }
            former = try known.image.map { try store.copy(of: $0, as: storedClass) }
        } else {
            guard object.state.isPending else { return nil }
            switch try saved(object, storedClass) {
            case .absent: (wasThere, former) = (false, nil)
            case .damaged: (wasThere, former) = (true, nil)
            case .record(let record):
                former = try store.withBuffer { buffer in
                    try store.copy(of: record, at: object.rowID, of: storedClass, by: buffer)
                }
                wasThere = true
            }
            if !wasThere, !isThere { return nil }
        }
        var changed = FieldSet.whole
        if wasThere, isThere, let former, storedClass.isDeclared {
            changed = store.changedFields(from: former, to: object, storedClass)
            if changed.isEmpty { return nil }
            if let fields = asked.fields, !fields.intersects(changed) { return nil }
        }
        return described(
            object, storedClass, wasThere: wasThere, isThere: isThere, former, changed)
    }

    private func saved(
        _ object: StoredObject, _ storedClass: StoredClass
    ) throws -> SavedRecord {
        // Others may have brought back what undo has brought back here.
        guard !object.state.isDisjoint(with: [.saved, .buried]) else { return .absent }
        return try store.savedRecords.record(of: object.rowID, storedClass)
    }

    private func described(
        _ object: StoredObject, _ storedClass: StoredClass, wasThere: Bool, isThere: Bool,
        _ former: StoredObject?, _ changed: FieldSet
    ) -> ChangedObject {
        let entries =
            !storedClass.isDeclared
            ? []
            : storedClass.fields.entries.enumerated()
                .filter { changed.contains($0.offset) }.map(\.element)
        return ChangedObject(
            wasThere: wasThere, isThere: isThere, former: former, names: entries.map(\.name)
        ) { [store] in
            try entries.map { entry in
                FieldChange(
                    name: entry.name, old: try former.map { try store.value(of: entry, in: $0) },
                    new: isThere ? try store.value(of: entry, in: object) : nil)
            }
        }
    }
}
