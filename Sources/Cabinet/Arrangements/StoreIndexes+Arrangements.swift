import CabinetBackend

extension StoreIndexes {
    /// Adds an arrangement to a class while the store is open, as ``register(_:of:)-(Index,_)`` adds an
    /// index: a thread builds it beside saves, in all stores over the backend.
    /// ``unregister(named:of:)`` removes it.
    /// - Throws: as that does.
    public func register(_ arrangement: Arrangement, of type: StoredObject.Type? = nil) throws {
        try register(arrangement.index, of: type)
    }

    /// The objects of an arrangement: those of `type`, and of its subclasses that have the arrangement
    /// too, as they do unless they override ``StoredObject/arrangements`` without it.
    /// - Parameters:
    ///   - name: the arrangement's name.
    ///   - type: a class that has declared or registered it.
    ///   - key: the type of the property that it is grouped by.
    /// - Throws: ``StoreError/badIndex(class:index:reason:)`` if there is no such arrangement, or if it is
    ///   grouped by another type; ``StoreError/classNotRegistered(_:)``, ``StoreError/closed``.
    public func arrangement<Key: OrderedKeyValue, Object: StoredObject>(
        _ name: String, of type: Object.Type, groupedBy key: Key.Type
    ) throws -> ArrangedObjects<Key, Object> {
        let found = ArrangedObjects<Key, Object>(
            store: store, name: name, types: [type], includesSubclasses: true)
        try found.withKeys { _ in }
        return found
    }

    /// The objects of an arrangement over several classes, each of which has one of that name, with groups
    /// and an order of the same types: songs and films by year in one list, for example. Subclasses
    /// count if they are named.
    ///
    /// Objects of equal keys are in the order of the classes.
    /// - Throws: as for one class; also ``StoreError/badIndex(class:index:reason:)`` if the classes do not agree.
    public func arrangement<Key: OrderedKeyValue>(
        _ name: String, ofClasses types: [StoredObject.Type], groupedBy key: Key.Type
    ) throws -> ArrangedObjects<Key, StoredObject> {
        let found = ArrangedObjects<Key, StoredObject>(
            store: store, name: name, types: types, includesSubclasses: false)
        try found.withKeys { _ in }
        return found
    }
}

extension ArrangedObjects {
    /// Calls `body` with the keys of all parts as they are.
    func withKeys<Result>(
        includingPending: Bool = true, _ body: (ArrangedKeys) throws -> Result
    ) throws -> Result {
        try store.checkOpen()
        store.reconcileEdits()
        // Another store may have registered it; a save or step under way keeps to what it began with.
        if store.enumerations == 0, !store.isBusyWithStep { try store.prepareParticipants() }
        return try withKnownKeys(includingPending: includingPending, body)
    }

    /// The same while the store tells what it has committed.
    func withKnownKeys<Result>(
        includingPending: Bool, _ body: (ArrangedKeys) throws -> Result
    ) throws -> Result {
        let parts = try parts()
        // Closures of the arrangement must not save.
        store.enumerations += 1
        defer { store.enumerations -= 1 }
        return try body(ArrangedKeys(store, parts, includesPending: includingPending))
    }

    /// What each of the classes keeps of the arrangement.
    func parts() throws -> [ClassIndex] {
        var parts: [ClassIndex] = []
        for type in types {
            let storedClass = try store.registered(type)
            if parts.contains(where: { $0.storedClass === storedClass }) { continue }
            guard let part = try part(of: storedClass) else {
                throw StoreError.badIndex(
                    class: storedClass.name, index: name,
                    reason: "the class has no arrangement of that name")
            }
            parts.append(part)
        }
        guard let first = parts.first else {
            throw StoreError.badIndex(class: "", index: name, reason: "no class was named")
        }
        if includesSubclasses {
            parts += try store.classes.compactMap {
                $0.type is Object.Type && $0 !== first.storedClass ? try part(of: $0) : nil
            }
        }
        for part in parts {
            guard part.sources[0].column.valueType == Key.self else {
                throw bad(part, "it is grouped by \(part.sources[0].column.valueType)")
            }
            guard part.forms == first.forms, part.collations == first.collations else {
                throw bad(part, "its columns are others than those of \(first.storedClass.name)")
            }
        }
        return parts
    }

    private func bad(_ part: ClassIndex, _ reason: String) -> StoreError {
        .badIndex(class: part.storedClass.name, index: name, reason: reason)
    }

    private func part(of storedClass: StoredClass) throws -> ClassIndex? {
        let found = try store.indexKeeper?.indexes(of: storedClass)?[name]
        return found?.index.isArrangement == true ? found : nil
    }
}

extension ClassIndex {
    /// The forms of the values in its keys.
    fileprivate var forms: [String] {
        sources.map { IndexDefinition.form(of: $0.column.valueType) }
    }
}
