import CabinetBackend

extension StoreIndexes {
    /// Adds an index to a class while the store is open, in all stores over its backend.
    ///
    /// ```swift
    /// try store.indexes.register(.ordered(\Song.rating))
    /// ```
    ///
    /// From now on it is as an index that the class declares: a thread builds it if there are records
    /// (``build(progress:)`` waits for that), and queries use it when it is complete. Stores that are
    /// open over the backend keep it from their next save on. A program that neither declares nor
    /// registers it leaves it behind by its saves; registering it once more has it catch up. So register
    /// it after each opening, or declare it. Where a store that is opened later declares another index of
    /// that name, the declared one takes its place.
    /// - Parameters:
    ///   - index: of a name that no other index of the class has, whichever store over the backend has
    ///     registered it. The same index once more changes nothing.
    ///   - type: the class; `nil`: the one that the index's key paths begin at.
    /// - Throws: ``StoreError/badIndex(class:index:reason:)``,
    ///   ``StoreError/classNotRegistered(_:)``, ``StoreError/enumerating``,
    ///   ``StoreError/stepUnderWay``, ``StoreError/closed``; `BackendError.readOnly`. Nothing is
    ///   registered then.
    public func register(_ index: Index, of type: StoredObject.Type? = nil) throws {
        try store.checkMayIndex()
        let storedClass = try store.registered(type ?? index.owner)
        guard storedClass.type.isKind(of: index.owner) else {
            throw StoreError.badIndex(
                class: storedClass.name, index: index.givenName ?? "",
                reason: "it is of another class, \(index.owner)")
        }
        let (derived, keeper) = store.makeIndexKeeper()
        let made = try ClassIndex(index, of: storedClass, keeper)
        let tables = derived.makeTables(of: storedClass)
        var isAdded = false
        repeat {
            // Another store may have registered one of that name.
            let known = store.hub.registrationCount
            try store.prepareParticipants()
            if let same = tables[made.kind, made.name], same.definition == made.definition,
                same.collations == made.collations,
                (same as? ClassIndex)?.index.isArrangement == index.isArrangement
            {
                return
            }
            try tables.checkName(of: made)
            isAdded = store.hub.register(
                store.indexRegistration(of: made, isDeclared: false), behind: known)
        } while !isAdded
        try derived.add(made, to: tables)
        store.beginMoreWork()
    }

    /// Removes an index from a class, in all stores over the backend, and from the disk.
    ///
    /// One that the class declares comes back, and is built, when the store's backend is opened again.
    /// - Throws: ``StoreError/badIndex(class:index:reason:)`` if there is none of that name; otherwise as
    ///   ``register(_:of:)-(Index,_)``, or a ``BackendError``: then it may be there still.
    public func unregister(named name: String, of type: StoredObject.Type) throws {
        try store.checkMayIndex()
        let storedClass = try store.registered(type)
        let tables = store.makeDerived().makeTables(of: storedClass)
        let kind = IndexKeeper.kind
        let isSaved =
            try store.backend.derivedEntries(ofClass: storedClass.number)[kind, name] != nil
        guard isSaved || tables[kind, name] != nil else {
            throw StoreError.badIndex(
                class: storedClass.name, index: name, reason: "there is none of that name")
        }
        tables.remove(kind, named: name)
        let number = storedClass.number
        store.hub.register(
            CommitHub.Registration(
                name: "index.\(number).\(name) removed \(store.hub.registrationCount)"
            ) { store in
                guard let storedClass = store.classesByNumber[Int(number)] else { return }
                try store.derived?.tables(of: storedClass)?.remove(kind, named: name)
            })
        try store.dropIndex(named: name, of: storedClass)
    }
}

extension Store {
    fileprivate func checkMayIndex() throws {
        try checkIdle()
        guard maySave else {
            throw BackendError.readOnly(path: backend.location)
        }
    }

    /// Removes the entry and the table of an index.
    fileprivate func dropIndex(named name: String, of storedClass: StoredClass) throws {
        let backend = backend
        let isDropped = try backend.changeEntries(ofClass: storedClass.number, of: slot) {
            entries in
            guard let entry = entries[IndexKeeper.kind, name] else { return nil }
            entries[IndexKeeper.kind, name] = nil
            let table = try backend.tables().first { $0.kind == .ordered && $0.name == entry.table }
            return { batch in
                if let table { try batch.drop(table.number) }
                try batch.letGoOfChanges(for: entry)
            }
        }
        guard isDropped else { return }
        SchedulePoint.hub.pass()
        _ = hub.didCommit()
    }

    /// How other stores over the backend come to keep an index.
    func indexRegistration(of made: ClassIndex, isDeclared: Bool) -> CommitHub.Registration {
        let (index, number) = (made.index, made.storedClass.number)
        var name = "index.\(number).\(made.name)"
        if !isDeclared { name += " added \(hub.registrationCount)" }
        return CommitHub.Registration(name: name) { store in
            guard let storedClass = store.classesByNumber[Int(number)] else { return }
            // Also where the class is another one: the store's saves then leave the index behind.
            let (derived, keeper) = store.makeIndexKeeper()
            let tables = derived.makeTables(of: storedClass)
            guard storedClass.type.isKind(of: index.owner) else { return }
            _ = tables.add(try ClassIndex(index, of: storedClass, keeper))
        }
    }

    /// What keeps the indexes; made if no class has had derived tables.
    fileprivate func makeIndexKeeper() -> (DerivedTables, IndexKeeper) {
        let derived = makeDerived()
        let keeper = indexKeeper ?? derived.add(IndexKeeper.self)
        return (derived, keeper)
    }
}
