import CabinetBackend

/// What the triggers of a save have changed, and what was pending besides before them.
struct Triggered {
    let log: ChangeLog
    let edits: [UInt64: ForeignEdits.Edit]
    let names: PendingNames
    let notes: [Attribution.Note]
}

extension Store {
    /// Calls `body`, which saves, with what asks the triggers; `nil` where there are none. If it throws,
    /// everything is as before.
    func askingTriggers<Result>(_ body: (TriggerPass?) throws -> Result) throws -> Result {
        guard let beforeTriggers else { return try body(nil) }
        reconcileEdits()
        guard mayCallTriggers else { return try body(nil) }
        let formerRefusal = refusal
        let formerNames = pendingNames.copy()
        let formerNotes = attribution?.notes ?? []
        // A save by the delegate would ask the triggers of the same changes once more.
        busyCalls += 1
        defer { busyCalls -= 1 }
        let log = changes.openLog()
        let pass = TriggerPass(beforeTriggers, of: self)
        do {
            let result = try body(pass)
            changes.closeLog(keeping: changes.openLogs.count > 1)
            noteTriggered(pass.edits)
            return result
        } catch {
            if let backgroundSave {
                // Whether it was made is not known: its end takes the changes back, if it was not.
                changes.closeLog(keeping: false)
                backgroundSave.triggered = Triggered(
                    log: log, edits: pass.edits, names: formerNames, notes: formerNotes)
                throw error
            }
            takeBackTriggered(log)
            pendingNames.replace(by: formerNames)
            refusal = formerRefusal
            attribution?.forgetNotes()
            attribution?.putBack(formerNotes)
            throw error
        }
    }

    /// Whether a save of what is pending may call triggers.
    var mayCallTriggers: Bool {
        guard let beforeTriggers else { return false }
        return hasValidation || changes.objects.contains(where: beforeTriggers.concern)
    }

    private func takeBackTriggered(_ log: ChangeLog) {
        tell(takeBack(log))
        watchers?.noteEdit()
    }

    /// Whether an object that triggers have changed in a save was changed again since it began.
    func hasEdits(in log: ChangeLog) -> Bool {
        log.contains { entry in
            entry.pointee.storedClass.existing(entry.pointee.row)?.state.isPending == true
        }
    }

    /// A save of which it was not known whether it was made was not: its objects are pending again.
    /// - Parameter isEdited: see ``hasEdits(in:)``.
    func takeBack(_ log: ChangeLog, edited isEdited: Bool) {
        guard !isEdited else {
            // Triggers would count twice what they have changed.
            refusal = refusal ?? StoreError.triggersInterrupted
            return
        }
        let contents = observedContents(of: log)
        changes.takeBack(log, in: self)
        tell(contents)
    }

    /// The objects that `body` changes.
    func changedObjects(_ body: () throws -> Void) throws -> [StoredObject] {
        var found: [StoredObject] = []
        try step {
            try body()
            reconcileEdits()
            guard let log = changes.openLogs.last else { return }
            log.removeEmptyEdits()
            var known: Set<UInt64> = []
            for change in log.changes
            where known.insert(ChangeLog.key(change.storedClass, change.row)).inserted {
                if let object = change.storedClass.existing(change.row) { found.append(object) }
            }
        }
        lists.bringAllBack()
        return found
    }

    /// The fields in which an object differs from a copy of what it was.
    func changedFields(
        from former: StoredObject, to object: StoredObject, _ storedClass: StoredClass
    ) -> FieldSet {
        let (old, new) = (FieldImages(), FieldImages())
        old.take(former, storedClass.fields, in: self)
        new.take(object, storedClass.fields, in: self)
        var changed = FieldSet()
        for (index, entry) in storedClass.fields.entries.enumerated() {
            let isSame =
                if let relation = entry.coder as? RelationCoder {
                    former.objects(in: relation).elementsEqual(
                        object.objects(in: relation), by: ===)
                } else {
                    old.isSame(index, as: new)
                }
            if !isSame { changed.insert(index) }
        }
        return changed
    }
}
