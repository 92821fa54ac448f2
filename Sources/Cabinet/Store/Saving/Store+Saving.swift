import CabinetBackend

extension Store {
    /// Writes all pending changes and named buffers, or none of them.
    ///
    /// If migrations are still to run, it first runs all of them, in this same save, unless the
    /// store is read-only: see ``migrate(progress:isolation:)``.
    ///
    /// Before anything is written, triggers are called (``StoredObject/triggers``), then `validate()`.
    ///
    /// Cost: a few hundred nanoseconds an object, and one sync at ``Durability/full``. Memory: one
    /// chunk of 1 MiB and the largest value once, beside the objects, whatever their number.
    /// - Throws: ``StoreError/enumerating``, ``StoreError/stepUnderWay``; ``StoreError/invalid(_:)``
    ///   for objects whose `validate()` threw, ``StoreError/validationUnstable(classes:)``; what a trigger
    ///   throws, ``StoreError/triggersUnstable(classes:)``; what ``insert(_:)`` kept back;
    ///   ``StoreError/cannotWrite(class:row:reason:)``, ``StoreError/contentNotRead(class:row:)``,
    ///   ``StoreError/badReference(class:row:field:reason:)``, whose reason is `notInserted`, `wrongStore` or
    ///   `wrongClass`, ``StoreError/classNotRegistered(_:)``, ``StoreError/tooManyLayouts(class:)``,
    ///   ``StoreError/unclearFields(class:fields:reason:)``,
    ///   ``StoreError/cannotWriteName(_:reason:)``, ``StoreError/outdated(class:)``,
    ///   ``StoreError/conflict(_:)``, ``StoreError/triggersInterrupted``;
    ///   ``StoreError/notUnique(class:index:row:by:)``, ``StoreError/keyTooLong(class:index:row:)``,
    ///   ``StoreError/indexLeftOut(class:index:)``; ``StoreError/badAuthor(_:)``; for migrations
    ///   ``StoreError/migrationFailed(_:)``, ``StoreError/migrationUnderWay``, `CancellationError`; a
    ///   ``BackendError`` (disk full, read-only, …).
    ///   Then everything is still pending, and the store on disk is as before. Only after
    ///   ``BackendError/outcomeUnknown(token:)`` that is not known: the next call that reaches the engine
    ///   finds it out, and the store goes on as saved, or with everything pending; until then saves throw
    ///   this.
    public func save() throws { try save(onConflict: .throw) }

    /// As ``save()``, which throws on a conflict, but `policy` says what becomes of objects that this
    /// store and others have changed.
    ///
    /// What others have saved is taken up first, as by ``refresh()``. Each object whose record they
    /// have changed since this store's pending changes began is a conflict, and so is one that they
    /// have deleted, if this store refers to it newly. Both sides of relationships agree whatever
    /// the policy does. If others save meanwhile, the store looks again.
    ///
    /// The delete rules of what is deleted here apply to references that others have made to it
    /// meanwhile, too: `.nullify` takes them out of the others' objects. What was deleted here only
    /// because nothing else referred to it is a conflict.
    /// - Throws: as ``save()``, and what a closure in `policy` throws.
    public func save(onConflict policy: ConflictPolicy) throws {
        try checkIdle()
        if awaitsMigrations { return try saveWithMigrations(onConflict: policy) }
        try writeChanges(onConflict: policy)
    }

    /// What ``save()`` does once it may. With `isForced`, participants get a commit anyway.
    func writeChanges(isForced: Bool = false, onConflict policy: ConflictPolicy = .throw) throws {
        try prepareToWrite()
        let isForced =
            isForced || !hasChanges && changes.hasRecorder && changes.recorder?.awaitsSave == true
        guard hasChanges || isForced else { return finishChanges() }
        heapGrowth = HeapGrowth()
        var notices: [ObserverNotice] = []
        let batch: WriteBatch? = try retrying(onConflict: policy) {
            try askingTriggers { triggers in
                guard try validateAll(isForced: isForced, triggers) else { return nil }
                let batch = takeBatch()
                let commit = Commit(store: self, batch: batch, isSave: true)
                _ = try run(
                    commit, whenCertain: letGoOfChanges,
                    afterwards: {
                        notices = noteSaved()
                        pendingNames.removeAll()
                        if !conflictingNames.isEmpty { conflictingNames = NameConflicts() }
                    }, write)
                return batch
            }
        }
        guard let batch else { return finishChanges() }
        for notice in notices { observed.tell(notice, [.standing]) }
        tellDelegate { $0.storeDidSave(self) }
        keep(batch)
    }

    /// Brings what is pending into the form in which it is written.
    /// - Throws: what cannot be saved at all.
    func prepareToWrite() throws {
        reconcileEdits()
        lists.bringAllBack()
        if let refusal { throw refusal }
        if backgroundSave != nil { try checkOutcomeKnown() }
        guard hasChanges, backend.access == .readOnly || isSnapshot else { return }
        throw BackendError.readOnly(path: backend.location)
    }

    /// Asks triggers and validates what is pending. Whether there is still something to write: calls of the
    /// delegate may have saved it.
    func validateAll(isForced: Bool, _ triggers: TriggerPass? = nil) throws -> Bool {
        guard let triggers else {
            guard hasValidation else { return true }
            try validateChanges()
            if let refusal { throw refusal }
            return hasChanges || isForced
        }
        try triggers.askAll()
        while hasValidation, try triggers.ask(changedObjects(validateChanges)) {}
        if let refusal { throw refusal }
        triggers.noteEdits()
        return hasChanges || isForced
    }

    func write(to commit: Commit) throws {
        let batch = commit.batch
        var defined = ClassNumbers()
        var written = 0
        // In rounds, because writing an object may insert others.
        while written < changes.objects.count {
            let objects = changes.objects
            try forEachAhead(objects, from: written) { object in
                guard object.state.isPending else { return }
                try object.withStoredClass { storedClass in
                    if storedClass.needsDefinition, !defined.contains(storedClass.number) {
                        try defineAll(storedClass, in: commit, &defined)
                    }
                    try write(object, of: storedClass, to: commit)
                }
            }
            written = objects.count
        }
        try pendingNames.write(to: batch)
        if validated != nil { requireValidated(in: batch) }
    }

    @inline(__always)
    private func write(
        _ object: StoredObject, of storedClass: StoredClass, to commit: Commit
    ) throws {
        if object.state.contains(.deleted) { return try commit.delete(object, of: storedClass) }
        if !object.state.isDisjoint(with: [.fault, .unreadable]) {
            throw StoreError.contentNotRead(class: storedClass.name, row: object.rowID)
        }
        try commit.put(object, of: storedClass)
    }

    /// Releases the changes while the engine goes on with their commit: freeing objects that
    /// nothing else holds takes up to a quarter of the time of writing them. Observed objects must
    /// wait for their observers.
    private func letGoOfChanges() {
        if observed.count == 0 { updateStates() }
    }

    /// What is in memory is what is saved, from here on.
    func finishChanges() {
        attribution?.forgetNotes()
        for notice in noteSaved() { observed.tell(notice, [.standing]) }
    }

    /// The same without calling observers, which it returns.
    private func noteSaved() -> [ObserverNotice] {
        let notices = notices(among: changes.objects)
        if !changes.isEmpty { updateStates() }
        changes.recorder?.didSave()
        return notices
    }

    /// `object` refers to what its record refers to, if this save has written it.
    @inline(__always)
    private func noteSavedReferences(of object: StoredObject) {
        guard object.state.contains(.refersAsWritten), object.state.isPending else { return }
        object.state.formUnion(.refersAsSaved)
    }

    /// What is pending becomes what is saved, and is forgotten.
    func updateStates() {
        for storedClass in classes {
            storedClass.pendingInserts = 0
            storedClass.pendingDeletes = 0
        }
        let knowsReferences = !participants.isEmpty && !hasUnreconciledEdits
        changes.objects.forEachHeld { object in
            guard object.storedClass != nil else { return }
            if knowsReferences { noteSavedReferences(of: object) }
            if object.state.contains(.deleted) {
                object.state = object.state.intersection(.lastingWithTrouble)
                    .union([.deleted, .buried])
            } else {
                object.state = object.state
                    .intersection([
                        .fault, .unreadable, .reportsReads, .observed, .numbered, .keepsBytes,
                        .refersAsSaved, .unrelated,
                    ])
                    .union([.saved, .reportsChange])
            }
        }
        changes.removeAll()
        if !conflicting.isEmpty { conflicting = [:] }
        if !upgradedContents.isEmpty { upgradedContents = [:] }
    }
}
