import CabinetBackend

// A class may insert and change other objects in `upgrade(from:)`, which runs while the object is
// read. Those changes are pending, and the object is pending with them: one save writes all of
// them, and the upgrade never runs again for the record. They are no step of undo, as reading is
// none.

extension Store {
    /// Runs `body`, in which the class of `object` upgrades an old record. If it throws, what it
    /// did to other objects is taken back; likewise if `object` is a copy in no store.
    func runUpgrade(of object: StoredObject, _ body: () throws -> Void) throws {
        if try restoreUpgrade(of: object) { return }
        if hasUnreconciledEdits { reconcileBeforeUpgrade(of: object) }
        let formerRefusal = refusal
        let log = changes.openLog()
        upgrades += 1
        beginChange()
        defer {
            upgrades -= 1
            // A save would write the object while it is read.
            busyCalls += 1
            endChange()
            busyCalls -= 1
        }
        do {
            try body()
            reconcileEdits()
        } catch {
            takeBackUpgrade(log, formerRefusal)
            throw error
        }
        if object.storedClass == nil || readsProvisionally(object) {
            return takeBackUpgrade(log, formerRefusal)
        }
        changes.closeLog(keeping: false)
        if !log.isEmpty { keepUpgrade(log, of: object) }
        moveEdits(of: log)
    }

    /// The record was upgraded before, which is not saved yet, and is read again: what the upgrade
    /// changed elsewhere is still pending, so its result is taken.
    private func restoreUpgrade(of object: StoredObject) throws -> Bool {
        guard !upgradedContents.isEmpty, let storedClass = object.storedClass,
            storedClass.context === self,
            let image = upgradedContents[ChangeLog.key(storedClass, object.rowID)]
        else { return false }
        try restore(image, to: object)
        markUpgraded(object, of: storedClass)
        return true
    }

    func hasUpgradedContent(of object: StoredObject, _ storedClass: StoredClass) -> Bool {
        !upgradedContents.isEmpty
            && upgradedContents[ChangeLog.key(storedClass, object.rowID)] != nil
    }

    /// An object that was upgraded is pending, with what its upgrade changed.
    private func markUpgraded(_ object: StoredObject, of storedClass: StoredClass) {
        guard object.state.isDisjoint(with: [.inserted, .updated]) else { return }
        announceChange()
        if object.state.contains(.observed) { tellObservers(object, at: .standing) }
        let kept = object.state.intersection([.saved, .unreadable])
        changes.set(object, of: storedClass, to: kept.union(.updated))
        announce { $0.store(self, willUpdate: object) }
    }

    /// Takes back what is in `log`, which ends. Returns what observers are to be told then.
    func takeBack(_ log: ChangeLog) -> [ObservedContent] {
        let contents = observedContents(of: log)
        takeBackEdits(of: log)
        changes.closeLog(keeping: false)
        changes.takeBack(log, in: self)
        forgetUpgrades(in: log)
        return contents
    }

    /// `log` was taken back, and with it upgrades that it holds: their records are as they were.
    private func forgetUpgrades(in log: ChangeLog) {
        if upgradedContents.isEmpty { return }
        log.forEachReversed { entry in
            if entry.pointee.priorState.contains(.fault) {
                upgradedContents[entry.pointee.key] = nil
            }
        }
    }

    /// Earlier edits may lead to `object`, whose fields are read: they change it like others.
    private func reconcileBeforeUpgrade(of object: StoredObject) {
        guard object.storedClass?.context === self else { return reconcileEdits() }
        object.state.formUnion(.reportsChange)
        reconcileEdits()
        object.state.subtract(.reportsChange)
    }

    private func takeBackUpgrade(_ log: ChangeLog, _ formerRefusal: (any Error)?) {
        let contents = observedContents(of: log)
        changes.closeLog(keeping: false)
        changes.takeBack(log, in: self)
        forgetUpgrades(in: log)
        refusal = formerRefusal
        tell(contents)
    }

    /// The changes of `log` were made while `object` was read, and stay.
    private func keepUpgrade(_ log: ChangeLog, of object: StoredObject) {
        guard let storedClass = object.storedClass, !object.state.contains(.deleted) else { return }
        let reading = ChangeLog.make(isUndoable: false, serial: changes.foreign.serial)
        reading.append(
            .init(
                kind: .updated, storedClass: storedClass, row: object.rowID,
                priorState: [.saved, .fault, .reportsChange], image: nil, object: nil))
        reading.append(contentsOf: log)
        if let step = changes.openLogs.last,
            changes.openLogs.contains(where: { $0.covers(anyOf: reading) })
        {
            // Should the step throw, what it knows of these objects is from before the upgrade.
            reading.holdsRead = true
            step.append(contentsOf: reading)
        }
        changes.recorder?.didChangeOutsideSteps(reading)
        let image = image(of: object)
        if image.failure == nil {
            upgradedContents[ChangeLog.key(storedClass, object.rowID)] = image
        }
        markUpgraded(object, of: storedClass)
    }
}
