import CabinetBackend

/// What a store has pending: every object that the next save writes or removes, each once, in the
/// order in which it first changed.
///
/// Membership is a bit in the object and a place in an array, so noting a change costs no look-up.
final class ChangeSet {
    /// Pending objects, among them some that are pending no more: ask their state.
    private(set) var objects: [StoredObject] = []
    /// How many objects the next save has something to do for.
    private(set) var pendingCount = 0
    /// Objects that change unheard because nobody records.
    private var unwatched: [StoredObject] = []

    /// The steps that are under way, the innermost last.
    private(set) var openLogs: [ChangeLog] = []
    /// Who keeps finished steps; `nil` while nobody does.
    var recorder: (any ChangeRecorder)? {
        didSet { if recorder != nil { watchAll() } }
    }

    /// Whether somebody wants to know how to take changes back.
    @inline(__always)
    var isRecording: Bool { !openLogs.isEmpty || recorder != nil }

    /// Gives `object` a state, and keeps counts and list in step with it.
    @inline(__always)
    func set(_ object: StoredObject, of home: StoredClass, to wanted: ObjectState) {
        let old = object.state
        var new = wanted.subtracting(.transient).union(old.intersection(.transient))
        if new.isPending, !old.contains(.listed) {
            new.formUnion(.listed)
            objects.append(object)
        }
        object.state = new
        if old.isPending != new.isPending { pendingCount += new.isPending ? 1 : -1 }
        if old.contains(.inserted) != new.contains(.inserted) {
            home.pendingInserts += new.contains(.inserted) ? 1 : -1
        }
        let removal: ObjectState = [.saved, .deleted]
        if old.isSuperset(of: removal) != new.isSuperset(of: removal) {
            home.pendingDeletes += new.isSuperset(of: removal) ? 1 : -1
        }
    }

    /// Stops hearing of further changes of `object`, unless somebody records.
    @inline(__always)
    func unwatch(_ object: StoredObject) {
        guard !isRecording else { return object.state.formUnion(.watched) }
        object.state.subtract(.watched)
        unwatched.append(object)
    }

    private func watchAll() {
        for object in unwatched where object.home != nil { object.state.formUnion(.watched) }
        unwatched.removeAll(keepingCapacity: true)
    }

    /// Drops what does not belong to the store any more from the list.
    func removeReleased() { objects.removeAll { $0.home == nil } }

    /// Forgets all objects; the caller has settled their states.
    func removeAll() {
        objects = []
        unwatched = []
        pendingCount = 0
    }

    // MARK: Recording

    /// Begins a step within the current one.
    func openLog() -> ChangeLog {
        watchAll()
        let log = ChangeLog(isUndoable: recorder != nil)
        openLogs.append(log)
        return log
    }

    /// Ends the innermost step: it belongs to the one around it, or goes to the recorder.
    func closeLog(keeping isKept: Bool) {
        guard let log = openLogs.popLast(), isKept, !log.isEmpty else { return }
        if let outer = openLogs.last {
            outer.append(contentsOf: log)
        } else if log.isUndoable {
            recorder?.record(log)
        }
    }

    /// Hands one change to whoever records.
    func note(_ entry: ChangeLog.Entry) {
        if let log = openLogs.last {
            log.append(entry)
        } else if let recorder {
            let log = ChangeLog(isUndoable: true)
            log.append(entry)
            recorder.record(log)
        }
    }
}
