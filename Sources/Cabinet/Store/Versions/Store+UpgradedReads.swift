import CabinetBackend

// A class may insert and change other objects in `upgrade(from:)`, which runs while the object is
// read. Those changes are pending, and the object is pending with them: one save writes all of them,
// and the upgrade never runs again for the record. They are no step of undo, as reading is none.

extension Store {
    /// Runs `body`, by which the class of `object` brings what was read of an old record up to date.
    ///
    /// If it throws, what it did to other objects is taken back. So it is where `object` stands for
    /// its record only and is in no store.
    func runUpgrade(of object: StoredObject, _ body: () throws -> Void) throws {
        if hasUnsettledEdits { settleBeforeUpgrade(of: object) }
        let formerRefusal = refusal
        let log = changes.openLog()
        upgrades += 1
        defer { upgrades -= 1 }
        do {
            try body()
            settleEdits()
        } catch {
            takeBackUpgrade(log, formerRefusal)
            throw error
        }
        if object.home == nil || readsProvisionally(object) {
            return takeBackUpgrade(log, formerRefusal)
        }
        changes.closeLog(keeping: false)
        if !log.isEmpty { keepUpgrade(log, of: object) }
    }

    /// Earlier edits may lead to `object`, whose fields are read by now: they change it like any
    /// other object.
    private func settleBeforeUpgrade(of object: StoredObject) {
        guard object.home?.context === self else { return settleEdits() }
        object.state.formUnion(.watched)
        settleEdits()
        object.state.subtract(.watched)
    }

    private func takeBackUpgrade(_ log: ChangeLog, _ formerRefusal: (any Error)?) {
        let watchers = watchers(of: log)
        changes.closeLog(keeping: false)
        changes.takeBack(log, in: self)
        refusal = formerRefusal
        tell(watchers)
    }

    /// The changes of `log` were made while `object` was read, and stay.
    private func keepUpgrade(_ log: ChangeLog, of object: StoredObject) {
        guard let home = object.home, !object.state.contains(.deleted) else { return }
        let reading = ChangeLog(isUndoable: false)
        reading.append(
            .init(
                kind: .updated, home: home, row: object.rowID,
                priorState: [.saved, .fault, .watched], image: nil, object: nil))
        reading.append(contentsOf: log)
        if let step = changes.openLogs.last,
            changes.openLogs.contains(where: { $0.covers(anyOf: reading) })
        {
            // Should the step throw, what it knows of these objects is from before the upgrade.
            reading.holdsRead = true
            step.append(contentsOf: reading)
        }
        changes.recorder?.didChangeOutsideSteps(reading)
        if object.state.isDisjoint(with: [.inserted, .updated]) {
            if object.state.contains(.observed) { tellObservers(object, at: .standing) }
            let kept = object.state.intersection([.saved, .unreadable])
            changes.set(object, of: home, to: kept.union(.updated))
            announce { $0.store(self, willUpdate: object) }
        }
        announce { $0.storeDidChange(self) }
    }
}
