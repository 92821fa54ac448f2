import CabinetBackend

extension Store {
    /// `object` is about to change: its content is read, the step recorded, the object marked.
    func noteUpdate(of object: StoredObject) {
        if object.state.contains(.fault) { fetchContent(of: object) }
        guard let home = object.home, !object.state.contains(.deleted) else { return }
        if changes.isRecording { recordUpdate(of: object, home) }
        if object.state.isDisjoint(with: [.inserted, .updated]) {
            tellDelegate { $0.store(self, willUpdate: object) }
            let kept = object.state.intersection([.saved, .unreadable])
            changes.set(object, of: home, to: kept.union(.updated))
        }
        changes.unwatch(object)
        tellDelegate { $0.storeDidChange(self) }
    }

    private func recordUpdate(of object: StoredObject, _ home: StoredClass) {
        if let log = changes.openLogs.last, log.covers(object, of: home) { return }
        if object.state.contains(.unreadable) { return }
        changes.note(
            .init(
                kind: .updated, home: home, row: object.rowID, priorState: object.state,
                image: image(of: object), object: nil))
    }
}
