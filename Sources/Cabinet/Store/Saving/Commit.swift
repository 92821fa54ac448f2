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

    /// Adds the record of `object`, whose content is there.
    @inline(__always)
    func put(_ object: StoredObject, of storedClass: StoredClass) throws {
        if storedClass.isFollowed { return try putFollowed(object, of: storedClass) }
        try store.codec.write(object, of: storedClass, to: batch)
    }

    /// Removes the record of `object`.
    @inline(__always)
    func delete(_ object: StoredObject, of storedClass: StoredClass) throws {
        try batch.deleteRow(object.rowID, in: storedClass.table)
        if storedClass.isFollowed {
            try tell(.deleted, object, storedClass, store.noReferences, false)
        }
    }

    @inline(never)
    private func putFollowed(_ object: StoredObject, of storedClass: StoredClass) throws {
        let written = store.commitReferences
        written.removeAll()
        try batch.arena.withMode(written) {
            try store.codec.write(object, of: storedClass, to: batch)
        }
        let isNew = object.state.contains(.inserted)
        if !written.isExact || !storedClass.isDeclared {
            object.noteReferenceChange()
        } else if isSave {
            object.state.formUnion(.refersAsWritten)
        }
        // Of an edit that waits, the other side may change only later.
        let isKept =
            object.state.contains(.refersAsSaved) && !isNew && !store.referenceTrust.isInDoubt
            && !store.hasUnreconciledEdits
        if isKept, storedClass.isFollowedByTable, store.referenceTrust.passesOverKept { return }
        try tell(isNew ? .inserted : .updated, object, storedClass, written, isKept)
    }

    private func tell(
        _ kind: RecordEvent.Kind, _ object: StoredObject, _ storedClass: StoredClass,
        _ references: WrittenReferences, _ keepsReferences: Bool
    ) throws {
        let event = RecordEvent(
            kind: kind, storedClass: storedClass, object: object, references: references,
            keepsReferences: keepsReferences)
        for index in storedClass.followers { try store.participants[index].note(event, in: self) }
    }
}

extension Store {
    /// How often a commit is begun again: each time, another store has made one.
    static let beginningsLimit = 100

    /// Calls `body`, which makes a commit, once what others have saved is taken up. Calls it again
    /// for as long as another store has come before: it has changed the same rows, or it has added
    /// layouts to a class, whose numbers all records bear.
    func beginningAnew<Result>(
        onConflict policy: ConflictPolicy = .throw, _ body: () throws -> Result
    ) throws -> Result {
        var beginnings = 0
        while true {
            SchedulePoint.basis.pass()
            try takeUpOthers(policy)
            SchedulePoint.hub.pass()
            do { return try body() } catch let error as BackendError {
                beginnings += 1
                guard beginnings < Self.beginningsLimit, try mayBeginAgain(after: error, policy)
                else { throw error }
            }
        }
    }

    /// Whether a commit that has thrown `error` may succeed when it is made again.
    func mayBeginAgain(
        after error: BackendError, _ policy: ConflictPolicy
    ) throws -> Bool {
        if backend.hasOtherWriters { try backend.refresh() }
        switch error {
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

    /// Throws for rows that the commit refers to and others have deleted, unless that is to be
    /// passed over: then the references are left out.
    private func refuseReferences(
        toRowsGoneOf conflicts: [Conflict], _ policy: ConflictPolicy
    ) throws {
        guard case .throw = policy else { return }
        var gone: [ObjectConflict] = []
        for case .row(let row, let table) in conflicts {
            guard let storedClass = classes.first(where: { $0.table == table }),
                storedClass.existing(row)?.state.isPending != true,
                validated?.required.contains(ChangeLog.key(storedClass, row)) != true,
                try !readRecord(row, of: storedClass, into: DataBuffer())
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
        let number: CommitNumber
        var frozen: (any BackendReader)?
        do {
            if isIsolated, self.frozen != nil || slot.isShared {
                (number, frozen) = try backend.commit(
                    commit.batch, freezing: slot.label, meanwhile: finishing)
            } else {
                number = try backend.commit(commit.batch, meanwhile: finishing)
            }
        } catch {
            slot.endCommit()
            for participant in participants { participant.didEnd(committed: nil) }
            throw error
        }
        SchedulePoint.commit.pass()
        slot.endCommit()
        SchedulePoint.hub.pass()
        // Observers and the delegate hear of what others have saved: all is saved before.
        afterwards()
        noteDone(commit, number)
        SchedulePoint.basis.pass()
        noteCommit(number, frozen)
        return true
    }

    /// Adds to a commit what `body` and the participants add to it. Returns whether there is
    /// anything to commit; if not, or after a throw, it is given up.
    func fill(_ commit: Commit, _ body: (Commit) throws -> Void) throws -> Bool {
        let batch = commit.batch
        // Nothing is required of what others may change meanwhile: none may.
        let wasAlone = !slot.isShared
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
                backend.discard(batch)
                slot.endCommit()
                for participant in participants { participant.didEnd(committed: nil) }
                return false
            }
            try recordVersioning(in: batch)
            for participant in participants { try participant.join(commit) }
            if attribution != nil { try attribution?.sign(commit) }
        } catch {
            backend.discard(batch)
            slot.endCommit()
            for participant in participants { participant.didEnd(committed: nil) }
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

    /// The backend has made `commit`, by that number.
    func noteDone(_ commit: Commit, _ number: CommitNumber) {
        let generation = hub.didCommit()
        // Nothing came between.
        if generation == hubGeneration + 1 { hubGeneration = generation }
        isVersioningRecorded = true
        if attribution != nil { attribution?.didCommit() }
        if commit.batch.changesTables { noteDefined(commit.batch.definitions) }
        // Without changes, the number is that of a commit of which the participants may know nothing.
        let made = commit.batch.isEmpty ? basis : number
        for participant in participants { participant.didEnd(committed: made) }
    }

    /// The tables of `definitions` are defined now.
    private func noteDefined(_ definitions: [TableDefinition]) {
        for definition in definitions where definition.kind == .record {
            classesByNumber[Int(definition.classNumber)]?.didDefine(definition)
        }
    }
}
