import CabinetBackend

extension Store {
    /// Writes all that is pending at the call, as ``save()`` does, while another thread waits for
    /// the disk: other code of the store's isolation domain runs meanwhile.
    ///
    /// Meanwhile properties can be read and set, and objects inserted; that is pending for a later
    /// save. Every other call to the store first waits for the end of this one, and blocks its
    /// thread so long. If the commit fails, what it was to write is pending again, under later
    /// edits; what is rolled back then is not saved, and the call throws.
    ///
    /// Objects are encoded before the call suspends. Migrations that are still to run are run as by
    /// ``save()``, without suspending, and so are saves that may call triggers (``StoredObject/triggers``):
    /// what these change is taken back if the save fails, so nothing may change it meanwhile.
    /// - Throws: as ``save()``. Then nothing of it is saved.
    public func saveInBackground(isolation: isolated (any Actor)? = #isolation) async throws {
        try checkIdle()
        if awaitsMigrations { return try save() }
        let rollbacks = rollbacks
        for attempt in 1... {
            guard let save = try beginBackgroundSave() else { return }
            await save.end(isolation: isolation)
            if backgroundSave === save { endBackgroundSave() }
            guard let error = save.failure, (try? save.outcome?.get()) == nil else { return }
            // What was rolled back before it could be tried again is not saved.
            guard attempt < Self.attemptsLimit, save.outcome != nil, rollbacks == self.rollbacks
            else { throw error }
            try checkIdle()
            guard try mayBeginAgain(after: error, .throw) else { throw error }
        }
    }

    /// Encodes what is pending, and has another thread commit it; `nil` if nothing is pending.
    func beginBackgroundSave() throws -> BackgroundSave? {
        try prepareToWrite()
        guard hasChanges else {
            finishChanges()
            return nil
        }
        try catchUp(.throw)
        if mayCallTriggers {
            try writeChanges()
            return nil
        }
        guard try validateAll(isForced: false) else { return nil }
        let commit = Commit(store: self, batch: backend.makeBatch(), isSave: true)
        busyCalls += 1
        defer { busyCalls -= 1 }
        _ = try fill(commit, write)
        let save = hold(commit.batch)
        save.start(over: backend, slot)
        return save
    }

    /// The outcome of the save of `batch` is unknown: it counts as one in the background.
    func keepUnknown(_ batch: WriteBatch, _ error: BackendError) {
        hold(batch).end(.failure(error))
    }

    private func hold(_ batch: WriteBatch) -> BackgroundSave {
        let save = BackgroundSave(batch, in: self)
        changes.recorder?.willSave()
        updateStates()
        pendingNames.removeAll()
        backgroundSave = save
        return save
    }

    /// Throws ``BackendError/outcomeUnknown(token:)`` while it is not known whether the last save was made.
    func checkOutcomeKnown() throws {
        if let error = backgroundSave?.failure { throw error }
    }

    /// Waits for the save in the background, and takes note of its outcome if the engine knows it.
    @inline(never)
    func endBackgroundSave() {
        guard let save = backgroundSave, let outcome = save.findOutcome(over: backend) else {
            return
        }
        backgroundSave = nil
        slot.endCommit()
        switch outcome {
        case .success(let number):
            SchedulePoint.hub.pass()
            noteDone(save.batch, number)
            hasSaved = true
            conflictingNames = NameConflicts()
            if let triggered = save.triggered { noteTriggered(triggered.edits) }
            SchedulePoint.basis.pass()
            changes.recorder?.didSave()
            noteCommit(number)
            watchers?.tell()
            let notices = notices(among: save.objects.map(\.object))
            for notice in notices { observed.tell(notice, [.standing]) }
            tellDelegate { $0.storeDidSave(self) }
        case .failure:
            noteGivenUp()
            changes.recorder?.didNotSave()
            upgradedContents.merge(save.upgradedContents) { later, _ in later }
            pendingNames.replace(by: save.triggered?.names ?? save.names)
            attribution?.putBack(save.triggered?.notes ?? save.notes)
            let isEdited = save.triggered.map { hasEdits(in: $0.log) }
            for (object, state) in save.objects { makePending(object, as: state) }
            if let triggered = save.triggered, let isEdited {
                takeBack(triggered.log, edited: isEdited)
            }
        }
    }

    /// What a save was to do for `object` was not done.
    private func makePending(_ object: StoredObject, as former: ObjectState) {
        guard let storedClass = object.storedClass else { return }
        let now = object.state
        object.noteReferenceChange()
        object.state.subtract(.buried)
        if former.contains(.buried) { object.state.formUnion(.buried) }
        // It was deleted while it counted as saved.
        if former.isSuperset(of: .inserted), !former.contains(.buried) {
            object.state.subtract(.wasSaved)
        }
        let wanted: ObjectState
        if former.contains(.deleted) {
            // It may have come back since.
            let isBack = now.contains(.inserted)
            wanted =
                isBack
                ? [.saved, .updated] : now.intersection(.unreadable).union([.saved, .deleted])
        } else if now.contains(.deleted) {
            wanted = former.contains(.inserted) ? .deleted : [.saved, .deleted]
        } else {
            wanted = former.contains(.inserted) ? .inserted : [.saved, .updated]
        }
        changes.set(object, of: storedClass, to: wanted)
        if wanted.isPending, !wanted.contains(.deleted) { changes.stopReporting(object) }
    }
}
