import CabinetBackend

extension Store {
    /// What of an object changes.
    enum Subject {
        case value
        /// One of its lists, which is recorded when that has happened.
        case list
        /// As `list`, by an edit that may change nothing.
        case listEdit
    }

    /// `object` is about to change: its content is read, the step recorded, the object marked.
    func noteUpdate(of object: StoredObject, in subject: Subject = .value) {
        if object.state.contains(.fault) { fetchContent(of: object) }
        if hasDelegate, object.storedClass != nil, !object.state.contains(.deleted) {
            announceChange()
        }
        guard let storedClass = object.storedClass, !object.state.contains(.deleted) else { return }
        object.state.subtract(.tentative)
        if changes.isRecording, subject == .value || !recordsLists(of: object, storedClass) {
            recordUpdate(of: object, storedClass)
        }
        guard object.state.isDisjoint(with: [.inserted, .updated]) else {
            return changes.stopReporting(object)
        }
        if object.state.contains(.observed) { tellObservers(object, at: .standing) }
        let kept = object.state.intersection([.saved, .unreadable])
        changes.set(object, of: storedClass, to: kept.union(.updated))
        if subject == .listEdit {
            // Other changes before the edit is made must be reported too.
            object.state.formUnion([.reportsChange, .tentative])
        } else {
            changes.stopReporting(object)
        }
        // Marked first, because the delegate may change the object too.
        announce { $0.store(self, willUpdate: object) }
    }

    /// As ``noteUpdate(of:in:)`` for `relation`, a list, with a delegate or observers to call,
    /// which may change the object: the step records that first, so it must know the state before
    /// the object was marked.
    func noteListUpdate(
        of object: StoredObject, _ relation: RelationCoder, byEdit isEdit: Bool
    ) {
        if object.state.contains(.fault) { fetchContent(of: object) }
        let prior = object.state.subtracting(.tentative)
        let log = changes.openLogs.last
        let known = log?.count ?? 0
        if !object.state.isDisjoint(with: .needsStore) {
            noteUpdate(of: object, in: isEdit ? .listEdit : .list)
        }
        if object.state.contains(.observed) {
            tellObservers(
                object, at: object.observedProperty(UnsafeRawPointer(object.address(of: relation))))
        }
        guard let log, log.count > known, let storedClass = object.storedClass else {
            return
        }
        log.setPriorState(prior, of: object, storedClass, from: known)
    }

    /// Keeps what `object` is now, except its lists, for the recorder.
    func recordUpdate(of object: StoredObject, _ storedClass: StoredClass) {
        if let log = changes.openLogs.last, log.covers(object, of: storedClass) { return }
        let isReadable = !object.state.contains(.unreadable)
        // What was never read cannot be undone, but a step that throws takes the mark back.
        if !isReadable, changes.openLogs.isEmpty { return }
        changes.note(
            .init(
                kind: .updated, storedClass: storedClass, row: object.rowID,
                priorState: object.state,
                image: isReadable ? image(of: object, isWhole: false) : nil, object: nil))
    }

    /// Whether what happens to lists of `object` is recorded apart from its values.
    func recordsLists(of object: StoredObject, _ storedClass: StoredClass) -> Bool {
        storedClass.keepsListsApart && !object.state.contains(.unreadable)
    }
}
