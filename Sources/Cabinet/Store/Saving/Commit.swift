import CabinetBackend

/// One commit of a store: the batch that it fills, and what takes part in it.
///
/// The one way to commit: `save()` and `upgradeAll()` both go through
/// ``Store/run(_:whenCertain:_:)``, so participants get every record.
struct Commit {
    let store: Store
    let batch: WriteBatch
    /// Whether all pending changes become what is saved; `false` for an upgrade of records.
    let isSave: Bool

    @inline(__always)
    func put(_ object: StoredObject, of storedClass: StoredClass) throws {
        if storedClass.isFollowed {
            guard storedClass.passesOverNew,
                object.state.intersection([.inserted, .buried]) == .inserted
            else { return try putFollowed(object, of: storedClass) }
            storedClass.hasWrittenNew = true
        }
        try store.codec.write(object, of: storedClass, to: batch)
    }

    @inline(__always)
    func delete(_ object: StoredObject, of storedClass: StoredClass) throws {
        try batch.deleteRow(object.rowID, in: storedClass.table)
        if storedClass.isFollowed { try tellDelete(object, of: storedClass) }
    }

    @inline(never)
    private func putFollowed(_ object: StoredObject, of storedClass: StoredClass) throws {
        var isNew = object.state.contains(.inserted)
        // Others may have brought back what undo has brought back here.
        let mayBeThere = isNew && object.state.contains(.buried)
        // Of what a copy stands for in a save, the object itself follows.
        let isTold = !isSave || object.classReference != nil
        if isNew { storedClass.hasWrittenNew = true }
        let former =
            isNew && !mayBeThere || !storedClass.isCompared || !isTold
            ? .absent : try store.savedRecords.record(of: object.rowID, storedClass)
        if mayBeThere { isNew = former.isAbsent }
        guard storedClass.countsReferences else {
            return try putUncounted(object, of: storedClass, former, isNew: isNew, isTold: isTold)
        }
        let written = store.commitReferences
        written.removeAll()
        try batch.arena.withMode(written) {
            try store.codec.write(object, of: storedClass, to: batch) { record in
                guard storedClass.isWatched, isTold else { return }
                store.watchers?.note(former, record, object.rowID, of: storedClass)
            }
        }
        guard isTold else { return }
        if !written.isExact || !storedClass.isDeclared {
            object.noteReferenceChange()
        } else if isSave {
            object.state.formUnion(.refersAsWritten)
        }
        // Of an edit that waits, the other side may change only later.
        let isKept =
            object.state.contains(.refersAsSaved) && !isNew && !mayBeThere
            && !store.referenceTrust.isInDoubt
            && !store.hasUnreconciledEdits
        if isKept, storedClass.isFollowedByTable, store.referenceTrust.passesOverKept { return }
        try tell(
            RecordEvent(
                kind: isNew ? .inserted : .updated, storedClass: storedClass, object: object,
                former: former, references: written, keepsReferences: isKept))
    }

    /// Of a class of which no follower asks for references.
    @inline(__always)
    private func putUncounted(
        _ object: StoredObject, of storedClass: StoredClass, _ former: SavedRecord,
        isNew: Bool, isTold: Bool
    ) throws {
        object.state.subtract([.refersAsSaved, .refersAsWritten])
        if storedClass.isWatched, isTold {
            try store.codec.write(object, of: storedClass, to: batch) { record in
                store.watchers?.note(former, record, object.rowID, of: storedClass)
            }
        } else {
            try store.codec.write(object, of: storedClass, to: batch)
        }
        if !isTold || (isNew ? storedClass.followersOfNew : storedClass.followers).isEmpty {
            return
        }
        try tell(
            RecordEvent(
                kind: isNew ? .inserted : .updated, storedClass: storedClass, object: object,
                former: former, references: store.noReferences, keepsReferences: false))
    }

    @inline(never)
    private func tellDelete(_ object: StoredObject, of storedClass: StoredClass) throws {
        let watchers = storedClass.isWatched ? store.watchers : nil
        let isWanted =
            storedClass.followers.isEmpty
            ? watchers?.comparesRecords(of: storedClass) == true : storedClass.isCompared
        let former =
            isWanted ? try store.savedRecords.record(of: object.rowID, storedClass) : nil
        watchers?.noteDelete(former, object.rowID, of: storedClass)
        if storedClass.followers.isEmpty { return }
        try tell(
            RecordEvent(
                kind: .deleted, storedClass: storedClass, object: object,
                former: former ?? .absent,
                references: store.noReferences, keepsReferences: false))
    }

    @inline(__always)
    private func tell(_ event: RecordEvent) throws {
        let storedClass = event.storedClass
        for index in event.kind == .inserted ? storedClass.followersOfNew : storedClass.followers {
            try store.participants[index].note(event, in: self)
        }
    }
}

extension Store {
    /// How often a commit is begun again: each time, another store has made one.
    static let attemptsLimit = 100

    /// Calls `body`, which makes a commit, once what others have saved is taken up. Calls it again
    /// for as long as another store has come before: it has changed the same rows, or it has added
    /// layouts to a class, whose numbers all records bear.
    func retrying<Result>(
        onConflict policy: ConflictPolicy = .throw, _ body: () throws -> Result
    ) throws -> Result {
        var beginnings = 0
        while true {
            SchedulePoint.basis.pass()
            try catchUp(policy)
            SchedulePoint.hub.pass()
            do { return try body() } catch let error as BackendError {
                beginnings += 1
                guard beginnings < Self.attemptsLimit, try mayBeginAgain(after: error, policy)
                else { throw error }
            }
        }
    }

    /// Takes up what others have saved, and what that asks of commits.
    func catchUp(_ policy: ConflictPolicy) throws {
        try takeUpOthers(policy)
        if mayNeglectReferrers { try noteNeglectedReferrers() }
    }

    /// Whether a commit that has thrown `error` may succeed when it is made again.
    func mayBeginAgain(
        after error: BackendError, _ policy: ConflictPolicy
    ) throws -> Bool {
        try backend.refreshBesideOthers()
        switch error {
        case .outcomeUnknown: return backgroundSave == nil
        case .conflict(let conflicts):
            if !isIsolated { return conflicts.allSatisfy(CatalogName.isClaimed) }
            // Without conflicts: a commit was made that the store, alone until now, did not know.
            try takeUpOthers(policy, isAnyones: conflicts.isEmpty)
            try refuseReferences(toRowsGoneOf: conflicts, policy)
            return true
        case .changesGone where isIsolated, .noTable where isIsolated:
            // A commit that no store has made, or one that has dropped a table.
            try takeUpOthers(policy, isAnyones: true)
            return true
        default: return false
        }
    }

    /// Throws for rows that the commit refers to and others have deleted, unless `policy` passes
    /// that over: then the references are left out. Unlike after other conflicts, the basis has
    /// moved then.
    private func refuseReferences(
        toRowsGoneOf conflicts: [Conflict], _ policy: ConflictPolicy
    ) throws {
        guard case .throw = policy else { return }
        var gone: [ObjectConflict] = []
        for case .row(let row, let table) in conflicts {
            guard let storedClass = classes.first(where: { $0.table == table }),
                storedClass.existing(row)?.state.isPending != true,
                validated?.required.contains(ChangeLog.key(storedClass, row)) != true,
                try !hasSavedRecord(row, of: storedClass)
            else { continue }
            gone.append(
                ObjectConflict(className: storedClass.name, rowID: row, kind: .deletedElsewhere))
        }
        guard gone.isEmpty else { throw StoreError.conflict(gone) }
    }

    /// Makes a commit of what `body` adds to it, or gives it up. Returns whether there was anything
    /// to commit, which is said of every save. `finishing` is called when the commit is certain, and
    /// must not use the backend; `afterwards` once it was made.
    func run(
        _ commit: Commit, whenCertain finishing: () -> Void = {}, afterwards: () -> Void = {},
        _ body: (Commit) throws -> Void
    ) throws -> Bool {
        busyCalls += 1
        defer { busyCalls -= 1 }
        guard try fill(commit, body) else { return false }
        let made: (number: CommitNumber, reader: (any BackendReader)?)
        do throws(BackendError) {
            made = try slot.commit(
                commit.batch, to: backend,
                freezes: isIsolated && (frozen != nil || slot.isShared), whenCertain: finishing)
        } catch {
            if case .outcomeUnknown = error, commit.isSave {
                keepUnknown(commit.batch, error)
            } else {
                slot.endCommit()
                noteGivenUp()
            }
            throw error
        }
        SchedulePoint.hub.pass()
        // Observers and the delegate hear of what others have saved: all is saved before.
        afterwards()
        noteDone(commit.batch, made.number)
        if commit.isSave, !commit.batch.isEmpty { hasSaved = true }
        SchedulePoint.basis.pass()
        noteCommit(made.number, made.reader)
        watchers?.tell()
        return true
    }

    /// Adds to a commit what `body` and the participants add. Returns whether that is anything.
    func fill(_ commit: Commit, _ body: (Commit) throws -> Void) throws -> Bool {
        let batch = commit.batch
        // Nothing is required of what others may change meanwhile: none may.
        let wasAlone = !slot.isShared
        defer { if comparesRecords { savedRecords.didWrite() } }
        SchedulePoint.hub.pass()
        slot.beginCommit(hubGeneration)
        SchedulePoint.hub.pass()
        do {
            if hub.generation != hubGeneration, !GuardedStep.registrations.isLeftOut {
                try prepareParticipants()
                slot.beginCommit(hubGeneration)
            }
            referenceTrust.endDoubt(classes, savingObjects: changes.pendingCount)
            for participant in participants { try participant.begin(commit) }
            try body(commit)
            if batch.isEmpty, !commit.isSave {
                giveUp(commit)
                return false
            }
            try recordVersioning(in: batch)
            for participant in participants { try participant.join(commit) }
            requireNoReferrers(in: commit)
            if attribution != nil { try attribution?.sign(commit) }
        } catch {
            giveUp(commit)
            throw error
        }
        if isIsolated {
            batch.basis = basis
            let isAlone = wasAlone && !GuardedStep.lastBasisAlone.isLeftOut
            batch.requiresLastBasis = batch.requiresLastBasis || isAlone
        }
        SchedulePoint.commit.pass()
        return true
    }

    private func giveUp(_ commit: Commit) {
        backend.discard(commit.batch)
        slot.endCommit()
        noteGivenUp()
    }

    func noteGivenUp() {
        for participant in participants { participant.didEnd(committed: nil) }
        watchers?.didEnd(committed: nil)
    }

    /// The backend has made the commit of `batch`, by that number.
    func noteDone(_ batch: WriteBatch, _ number: CommitNumber) {
        let generation = hub.didCommit()
        // Nothing came between.
        if generation == hubGeneration + 1 { hubGeneration = generation }
        isVersioningRecorded = true
        if attribution != nil { attribution?.didCommit() }
        if batch.changesTables { noteDefined(batch.definitions) }
        // Without changes, the number is that of a commit of which the participants may know nothing.
        let made = batch.isEmpty ? basis : number
        for participant in participants { participant.didEnd(committed: made) }
        watchers?.didEnd(committed: made)
    }

    private func noteDefined(_ definitions: [TableDefinition]) {
        for definition in definitions where definition.kind == .record {
            classesByNumber[Int(definition.classNumber)]?.didDefine(definition)
        }
    }
}
