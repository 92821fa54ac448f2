import CabinetBackend

/// What a store remembers of its changes, to take them back and to make them again.
///
/// ```swift
/// store.undoHistory.isEnabled = true
/// try store.undoHistory.group("Rename") { song.title = "Echoes" }
/// try store.undoHistory.undo()
/// ```
///
/// Outside a group every edit is a step of its own: setting or changing a property, an insert, a
/// delete with all that its rules changed. Steps reach back across saves; undoing a saved one is a
/// new pending change. What comes back has the same row, the same instance if the program still
/// holds it, and the same order in its relationships. Named buffers are not recorded. The history
/// is the open store's: closing it forgets all steps, unless ``survivesRelaunch`` is on.
///
/// Memory: the fields of each changed object before its step, and of its lists what the step
/// changed in them (about 200 bytes for one object that comes or goes). A class that writes its
/// content itself is kept whole. A handle that keeps its store alive; not `Sendable`, as the store
/// is not.
public struct UndoHistory {
    private let store: Store
    private let steps: UndoSteps

    init(_ store: Store) {
        self.store = store
        steps = store.annex(UndoSteps.self) { UndoSteps($0) }
    }

    /// Whether steps are recorded. `false` at first, and then it costs nothing. Setting `false`
    /// forgets all steps.
    public var isEnabled: Bool {
        get { store.changes.hasRecorder }
        nonmutating set {
            guard newValue != isEnabled else { return }
            // What follows from earlier edits is no part of a step.
            store.reconcileEdits()
            store.changes.recorder = newValue ? steps : nil
            if !newValue { steps.removeAll() }
        }
    }

    /// Whether saves keep the steps in the store, for the next store of the same ``Store/author``, in a later
    /// run, too. `false` at first. To set it turns recording on, and takes up what an earlier run has kept, if
    /// there are no steps yet.
    ///
    /// One open store has the steps of an author. If another one has them, this stays `false`, and the store
    /// begins without steps; the log sink is told. It is also told why nothing can be kept, as by an
    /// engine that refuses.
    ///
    /// A save writes the steps that were made since the last one, and what it leaves of their objects. What
    /// others change between two runs is treated as what other stores change meanwhile: ``undo()``. A step that
    /// cannot be read any more, as a class that it is about has changed, is forgotten with those before it, and
    /// the log sink is told. So is a step that leads to objects that were never in the store, or whose class no
    /// save has written yet. Limits are as
    /// in memory: set ``stepLimit`` and ``byteLimit`` first, as taking up goes by them. Setting `false` leaves what the last save has kept.
    public var survivesRelaunch: Bool {
        get { steps.kept != nil }
        nonmutating set {
            guard newValue != survivesRelaunch else { return }
            if newValue { beginKeeping() } else if let kept = steps.kept { store.remove(kept) }
        }
    }

    private func beginKeeping() {
        isEnabled = true
        guard store.maySave else { return }
        do {
            let author = store.author ?? ""
            guard let kept = try KeptSteps(store, steps, of: author) else {
                return store.log(
                    .notice, "Another open store has the steps of undo of '\(author)'.")
            }
            // What the store that had them has saved last is among them.
            try store.refresh()
            try kept.load()
            steps.kept = kept
            store.add(kept)
        } catch {
            store.log(.error, "Steps of undo cannot be kept for later runs: \(error)")
        }
    }

    /// The most steps that are kept; the oldest go first. At least 1, and 1,000 at first.
    public var stepLimit: Int {
        get { steps.stepLimit }
        nonmutating set { steps.stepLimit = max(newValue, 1) }
    }

    /// The most memory that the steps of undo and redo may take, in bytes. The oldest go first; the
    /// last one always stays. At least 0; default 64 MiB. While recording is on, the steps since
    /// the last save are kept for `rollback()`, up to `byteLimit` more.
    public var byteLimit: Int {
        get { steps.byteLimit }
        nonmutating set { steps.byteLimit = max(newValue, 0) }
    }

    /// Whether there is a step to take back.
    public var canUndo: Bool { !steps.undoable.isEmpty }
    /// Whether there is a step to make again.
    public var canRedo: Bool { !steps.redoable.isEmpty }
    /// The name of the step that `undo()` takes back; empty for one outside a group.
    public var undoName: String? { steps.undoable.last?.name }
    /// The name of the step that `redo()` makes again; empty for one outside a group.
    public var redoName: String? { steps.redoable.last?.name }

    /// Forgets all steps.
    public func removeAll() { steps.removeAll() }

    /// Makes all changes in `body` one step under `name`. A group within a group is part of it.
    ///
    /// If `body` throws, everything it changed is taken back, and there is no step. This holds
    /// while recording is off, too. An object that it inserted becomes plain again and keeps its
    /// values; named buffers stay as they are set.
    ///
    /// In `body`, `save()`, undo, redo and `close()` throw ``StoreError/stepUnderWay``;
    /// `rollback()` traps.
    /// - Throws: what `body` throws, or ``StoreError/closed``.
    public func group<Result>(_ name: String = "", _ body: () throws -> Result) throws -> Result {
        try store.checkOpen()
        steps.groupNames.append(name)
        defer { steps.groupNames.removeLast() }
        var result: Result?
        try store.keepingNotes { try store.step { result = try body() } }
        guard let result else { throw StoreError.closed }
        return result
    }

    /// Takes the last step back.
    ///
    /// What other stores have changed since stays: what they have deleted does not come back to relationships. Both sides of relationships agree afterwards, also
    /// of a step that was made between ``Store/refresh()`` and the save that merges what both have
    /// changed.
    ///
    /// - Returns: `false` if there was none.
    /// - Throws: ``StoreError/changedSince(class:row:)``, ``StoreError/enumerating``,
    ///   ``StoreError/stepUnderWay``, ``StoreError/closed``, or why an object's present content could not be read or its former one was never known. Then
    ///   nothing has changed, and the step stays the one to be taken back: ``removeAll()`` forgets it.
    @discardableResult
    public func undo() throws -> Bool { try move(isUndo: true) }

    /// Makes the step again that was taken back last. A new change forgets all such steps.
    ///
    /// - Returns: `false` if there was none.
    /// - Throws: as ``undo()``.
    @discardableResult
    public func redo() throws -> Bool { try move(isUndo: false) }

    private func move(isUndo: Bool) throws -> Bool {
        try store.checkIdle()
        store.reconcileEdits()
        if isUndo ? steps.undoable.isEmpty : steps.redoable.isEmpty { return false }
        store.beginChange()
        defer { store.endChange() }
        store.announceChange()
        guard let step = isUndo ? steps.undoable.last : steps.redoable.last else { return false }
        let contents = store.observedContents(of: step.log)
        try store.changes.foreign.check(step.log)
        var sides = RestoredSides(of: step.log, in: store)
        let inverse = try store.changes.revert(step.log, in: store)
        sides?.reconcile(notingIn: inverse)
        store.dropLostTargets(of: step.log, notingIn: inverse)
        steps.move(step, as: inverse, isUndo: isUndo)
        store.note(CommitStep(kind: isUndo ? .undone : .redone, name: step.name))
        store.tell(contents)
        return true
    }
}
