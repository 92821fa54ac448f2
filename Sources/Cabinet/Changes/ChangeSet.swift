import CabinetBackend

/// What a store has pending: every object that the next save writes or removes, each once, in the
/// order in which it first changed. Membership is a bit in the object, so noting a change costs no
/// look-up.
final class ChangeSet {
    /// Pending objects, and some that are no longer pending: ask their state.
    @exclusivity(unchecked) private(set) var objects = PendingObjects()
    /// How many objects the next save has something to do for.
    @exclusivity(unchecked) private(set) var pendingCount = 0
    /// Objects whose changes are not reported, as nothing records them: those from here on, and
    /// ``unreported``.
    @exclusivity(unchecked) private var firstUnreported = 0
    @exclusivity(unchecked) private var unreported: [StoredObject] = []
    /// The last of `objects`, if it is among those: reading it there would count a reference.
    @exclusivity(unchecked) private var latest: ObjectIdentifier?

    /// What other stores have changed of objects that steps are about.
    let foreign = ForeignEdits()
    /// The steps that are under way, the innermost last.
    @exclusivity(unchecked) private(set) var openLogs: [ChangeLog] = []
    /// Keeps finished steps; `nil` while steps are not kept.
    @exclusivity(unchecked) var recorder: (any ChangeRecorder)? {
        didSet {
            hasRecorder = recorder != nil
            if hasRecorder { reportAll() }
        }
    }
    /// Whether there is one: to ask `recorder` itself costs some 80 instructions.
    @exclusivity(unchecked) private(set) var hasRecorder = false

    /// Where the pending objects are noted that change again; `nil` if nothing asks for that.
    @exclusivity(unchecked) private(set) var reports: ChangeReports?
    @exclusivity(unchecked) private var hasReports = false
    /// How many changes are noted there before it is given up: it holds memory until the next save.
    private static let reportLimit = 65_536

    @inline(__always)
    var isRecording: Bool { !openLogs.isEmpty || hasRecorder }

    /// Whether no object is pending or has stopped reporting changes.
    var isEmpty: Bool { objects.isEmpty && unreported.isEmpty }

    /// Gives `object` a state, and keeps counts and list in step with it.
    @inline(__always)
    func set(_ object: StoredObject, of storedClass: StoredClass, to wanted: ObjectState) {
        let old = object.state
        var new = wanted.subtracting(.transient).union(old.intersection(.transient))
        if new.isPending, !old.contains(.listed) {
            new.formUnion(.listed)
            objects.append(object)
            latest = ObjectIdentifier(object)
        } else if hasReports, new.isPending, !old.isPending || old.contains(.deleted) {
            noteAgain(object)
        }
        if new.contains(.deleted), !old.contains(.deleted) {
            if old.contains(.saved) { new.formUnion(.wasSaved) }
            storedClass.noteGone(object.rowID)
        }
        object.state = new
        if old.isPending != new.isPending { pendingCount += new.isPending ? 1 : -1 }
        if old.contains(.inserted) != new.contains(.inserted) {
            storedClass.pendingInserts += new.contains(.inserted) ? 1 : -1
        }
        let removal: ObjectState = [.saved, .deleted]
        if old.isSuperset(of: removal) != new.isSuperset(of: removal) {
            storedClass.pendingDeletes += new.isSuperset(of: removal) ? 1 : -1
        }
    }

    /// Marks an unchanged object as updated, without further reports. Not while recording.
    @inline(__always)
    func appendUpdated(_ object: StoredObject) {
        object.state = [.saved, .updated, .listed]
        objects.append(object)
        pendingCount += 1
    }

    /// Marks a plain object with a new row as inserted, without further reports. Only while nothing
    /// is recorded.
    @inline(__always)
    func appendInserted(_ object: StoredObject, of storedClass: StoredClass) {
        object.state = [.inserted, .listed]
        objects.append(object)
        pendingCount += 1
        storedClass.pendingInserts += 1
    }

    /// Does nothing while changes are recorded.
    @inline(__always)
    func stopReporting(_ object: StoredObject) {
        if hasReports, object.state.contains(.reportsChange) { noteAgain(object) }
        if isRecording {
            object.state.formUnion(.reportsChange)
            // The object that was listed just now goes on reporting.
            if latest == ObjectIdentifier(object), firstUnreported == objects.count &- 1 {
                firstUnreported = objects.count
                latest = nil
            }
            return
        }
        object.state.subtract(.reportsChange)
        // Mostly it was listed just now, and need not be noted a second time.
        if latest == ObjectIdentifier(object) { return }
        // And while all listed ones are unreported, it is among them.
        if firstUnreported == 0, object.state.contains(.listed) { return }
        unreported.append(object)
    }

    /// Notes in `reports` each pending object that changes again, until ``endReports()``.
    func begin(_ reports: ChangeReports) {
        self.reports = reports
        hasReports = true
    }

    /// Gives the reports up: pending objects have changed without one, or are no longer pending.
    func endReports() {
        guard hasReports else { return }
        reports = nil
        hasReports = false
    }

    @inline(never)
    private func noteAgain(_ object: StoredObject) {
        guard let reports else { return }
        if reports.changed.count < Self.reportLimit { reports.note(object) } else { endReports() }
    }

    private func reportAll() {
        let count = objects.count
        if firstUnreported == count, unreported.isEmpty { return }
        latest = nil
        if firstUnreported == count &- 1, let last = objects.last {
            startReporting(last)
            firstUnreported = count
        } else if firstUnreported < count {
            objects.forEachHeld(from: firstUnreported) { startReporting($0) }
            firstUnreported = count
        }
        if unreported.isEmpty { return }
        unreported.forEachHeld { startReporting($0) }
        unreported.removeAll(keepingCapacity: true)
    }

    /// Drops what does not belong to the store any more from the list.
    func removeReleased() {
        endReports()
        objects.removeAll { $0.storedClass == nil }
        firstUnreported = 0
        latest = nil
    }

    private func startReporting(_ object: StoredObject) {
        if object.classReference != nil { object.state.formUnion(.reportsChange) }
    }

    /// Forgets all objects; the caller has reconciled their states.
    func removeAll() {
        endReports()
        objects.empty()
        firstUnreported = 0
        latest = nil
        unreported.empty()
        pendingCount = 0
    }

    // MARK: Recording

    func openLog() -> ChangeLog {
        reportAll()
        let log = ChangeLog.make(isUndoable: hasRecorder, serial: foreign.serial)
        openLogs.append(log)
        return log
    }

    /// Ends the innermost step: it belongs to the one around it, or goes to the recorder.
    /// - Returns: the step, if it is kept and has changed something.
    @discardableResult
    func closeLog(keeping isKept: Bool) -> ChangeLog? {
        guard let log = openLogs.popLast(), isKept else { return nil }
        log.removeEmptyEdits()
        if log.isEmpty { return nil }
        if let outer = openLogs.last {
            outer.append(contentsOf: log)
        } else if log.holdsRead {
            recorder?.didChangeOutsideSteps(nil)
        } else if log.isUndoable {
            recorder?.record(log)
        }
        return log
    }

    /// Hands one change to the open step or to the recorder.
    func note(_ entry: consuming ChangeLog.Entry) {
        guard isRecording else { return }
        let log = openLogs.last ?? ChangeLog.make(isUndoable: true, serial: foreign.serial)
        log.append(entry)
        if openLogs.isEmpty { recorder?.record(log) }
    }

    /// Likewise a change of one list of the object at `row`, which was in `priorState` before.
    func note(
        _ list: consuming ListEdit, of storedClass: Unmanaged<StoredClass>, _ row: RowID,
        priorState: ObjectState
    ) {
        guard isRecording else { return }
        let log = openLogs.last ?? ChangeLog.make(isUndoable: true, serial: foreign.serial)
        log.append(list, of: storedClass, row, priorState: priorState)
        if openLogs.isEmpty { recorder?.record(log) }
    }
}

extension [StoredObject] {
    /// Releases all objects, and the memory too where it is more than a small save needs.
    mutating func empty() {
        guard capacity <= 64 else { return removeAll() }
        // A small save has one, and the general way takes longer than freeing it.
        if count <= 1 { _ = popLast() } else { removeAll(keepingCapacity: true) }
    }
}
