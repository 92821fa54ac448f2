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
        guard let home = object.home, !object.state.contains(.deleted) else { return }
        object.state.subtract(.tentative)
        if changes.isRecording, subject == .value || !recordsLists(of: object, home) {
            recordUpdate(of: object, home)
        }
        if object.state.isDisjoint(with: [.inserted, .updated]) {
            if object.state.contains(.observed) { tellObservers(object, at: .standing) }
            let kept = object.state.intersection([.saved, .unreadable])
            changes.set(object, of: home, to: kept.union(.updated))
            if subject == .listEdit {
                // What else changes before the edit is made must be heard of.
                object.state.formUnion([.watched, .tentative])
            } else {
                changes.unwatch(object)
            }
            // Marked first, because the delegate may change the object too.
            announce { $0.store(self, willUpdate: object) }
        } else {
            changes.unwatch(object)
        }
        announce { $0.storeDidChange(self) }
    }

    /// Keeps what `object` is now, but for its lists, for the recorder.
    func recordUpdate(of object: StoredObject, _ home: StoredClass) {
        if let log = changes.openLogs.last, log.covers(object, of: home) { return }
        let isReadable = !object.state.contains(.unreadable)
        // What was never read cannot be undone, but a step that throws takes the mark back.
        if !isReadable, changes.openLogs.isEmpty { return }
        changes.note(
            .init(
                kind: .updated, home: home, row: object.rowID, priorState: object.state,
                image: isReadable ? image(of: object, isWhole: false) : nil, object: nil))
    }

    /// Whether what happens to lists of `object` is recorded apart from its values.
    func recordsLists(of object: StoredObject, _ home: StoredClass) -> Bool {
        home.keepsListsApart && !object.state.contains(.unreadable)
    }
}
