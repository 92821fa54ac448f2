import CabinetBackend

/// The triggers that a store's classes declare, as a part of the store.
struct TriggerPart: StorePart {
    func setUp(in store: Store) throws {
        var after: [(trigger: AfterTrigger, classes: [StoredClass])] = []
        for storedClass in store.classes {
            for trigger in storedClass.type.triggers {
                switch trigger.content {
                case .before(let before): try add(before, to: storedClass, in: store)
                case .after(let trigger): try add(trigger, of: storedClass, to: &after)
                }
            }
        }
        if !after.isEmpty, store.maySave { try follow(after, in: store) }
    }

    private func add(
        _ trigger: BeforeTrigger, to storedClass: StoredClass, in store: Store
    ) throws {
        try check(trigger.owner, "before", storedClass)
        var fields: FieldSet?
        for keyPath in trigger.fields {
            guard let index = store.fields(of: storedClass).index(of: keyPath) else {
                throw StoreError.badTrigger(
                    class: storedClass.name, trigger: "before",
                    reason: "a key path is no declared field or relationship of the class")
            }
            var known = fields ?? FieldSet()
            known.insert(index)
            fields = known
        }
        let triggers = store.beforeTriggers ?? BeforeTriggers()
        store.beforeTriggers = triggers
        triggers.add(trigger, fields, to: storedClass)
    }

    private func add(
        _ trigger: AfterTrigger, of storedClass: StoredClass,
        to found: inout [(trigger: AfterTrigger, classes: [StoredClass])]
    ) throws {
        try check(trigger.owner, trigger.name, storedClass)
        func refuse(_ reason: String) -> StoreError {
            .badTrigger(class: storedClass.name, trigger: trigger.name, reason: reason)
        }
        if let reason = trigger.refusal { throw refuse(reason) }
        guard let index = found.firstIndex(where: { $0.trigger.name == trigger.name }) else {
            return found.append((trigger, [storedClass]))
        }
        guard found[index].trigger.owner == trigger.owner,
            !found[index].classes.contains(where: { $0 === storedClass })
        else { throw refuse("another trigger has the name") }
        found[index].classes.append(storedClass)
    }

    private func check(
        _ owner: StoredObject.Type, _ name: String, _ storedClass: StoredClass
    ) throws {
        guard !storedClass.type.isKind(of: owner) else { return }
        throw StoreError.badTrigger(
            class: storedClass.name, trigger: name, reason: "it is one of another class, \(owner)")
    }

    private func follow(
        _ after: [(trigger: AfterTrigger, classes: [StoredClass])], in store: Store
    ) throws {
        let backend = store.backend
        guard store.isIsolated, backend.features.isSuperset(of: [.lines, .changes, .keptChanges])
        else {
            throw StoreError.badTrigger(
                class: after[0].classes[0].name, trigger: after[0].trigger.name,
                reason: "the engine keeps no changes for it")
        }
        FormerRecords.keep(ofClasses: after.flatMap(\.classes), in: store)
        if store.slot.isWorker { return }
        for (trigger, _) in after where try backend.keptChanges(for: trigger.key) == nil {
            _ = try backend.keepOn(trigger.key, limit: trigger.limit)
        }
        let all = store.classes.map(\.type)
        store.hub.worker { FeedWorker() }.begin(
            after.map { trigger, classes in
                TriggerJob(
                    trigger: trigger,
                    tables: classes.map { TableNames(of: $0, among: all) },
                    classes: all, parts: store.parts, migrations: store.migrations,
                    versioning: store.codec.versioning, log: store.log)
            }, over: backend)
    }
}
