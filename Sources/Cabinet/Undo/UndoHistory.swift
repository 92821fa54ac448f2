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
/// new pending change. What comes back has the same row, the same instance if anyone still holds
/// it, and the same order in its relationships. Named buffers are not recorded.
///
/// Memory: the content of each changed object before its step. Not `Sendable`; lives as long as
/// its store.
public final class UndoHistory {
    /// One thing that `undo()` takes back, or `redo()` makes again.
    struct Step {
        let name: String
        let log: ChangeLog
    }

    private unowned let store: Store
    private var undoSteps: [Step] = []
    private var redoSteps: [Step] = []
    /// How much memory both lists take, in bytes.
    private var size = 0
    /// Both lists as they were at the last save, which a rollback goes back to.
    private var saved: (undo: [Step], redo: [Step]) = ([], [])
    private var groupNames: [String] = []

    init(_ store: Store) { self.store = store }

    /// Whether steps are recorded. `false` at first, and then it costs nothing. Setting `false`
    /// forgets all steps.
    public var isEnabled = false {
        didSet {
            guard isEnabled != oldValue else { return }
            store.changes.recorder = isEnabled ? self : nil
            if !isEnabled { removeAll() }
        }
    }

    /// The most steps that are kept; the oldest go first. At least 1, and 1,000 at first.
    public var stepLimit = 1000 { didSet { trim() } }

    /// The most memory that the steps of undo and redo may take, in bytes; the oldest go first, but
    /// never the last one. 64 MiB at first. A rollback keeps as much again since the last save.
    public var byteLimit = 64 << 20 { didSet { trim() } }

    /// Whether there is a step to take back.
    public var canUndo: Bool { !undoSteps.isEmpty }
    /// Whether there is a step to make again.
    public var canRedo: Bool { !redoSteps.isEmpty }
    /// The name of the step that `undo()` takes back; empty for one outside a group.
    public var undoName: String? { undoSteps.last?.name }
    /// The name of the step that `redo()` makes again; empty for one outside a group.
    public var redoName: String? { redoSteps.last?.name }

    /// Forgets all steps.
    public func removeAll() {
        undoSteps = []
        redoSteps = []
        size = 0
        saved = ([], [])
    }

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
        groupNames.append(name)
        defer { groupNames.removeLast() }
        var result: Result?
        try store.step { result = try body() }
        guard let result else { throw StoreError.closed }
        return result
    }

    /// Takes the last step back.
    ///
    /// - Returns: `false` if there was none.
    /// - Throws: ``StoreError/enumerating``, ``StoreError/stepUnderWay``, ``StoreError/closed``, or
    ///   why an object's present content could not be read or its former one was never known. Then
    ///   nothing has changed, and the step stays the one to be taken back: ``removeAll()`` forgets it.
    @discardableResult
    public func undo() throws -> Bool { try move(from: \.undoSteps, to: \.redoSteps) }

    /// Makes the step again that was taken back last. A new change forgets all such steps.
    ///
    /// - Returns: `false` if there was none.
    /// - Throws: as ``undo()``.
    @discardableResult
    public func redo() throws -> Bool { try move(from: \.redoSteps, to: \.undoSteps) }

    private func move(
        from source: ReferenceWritableKeyPath<UndoHistory, [Step]>,
        to target: ReferenceWritableKeyPath<UndoHistory, [Step]>
    ) throws -> Bool {
        try store.checkSettled()
        guard let step = self[keyPath: source].last else { return false }
        let inverse = try store.changes.revert(step.log, in: store)
        self[keyPath: source].removeLast()
        self[keyPath: target].append(Step(name: step.name, log: inverse))
        size += inverse.size - step.log.size
        store.tellDelegate { $0.storeDidChange(store) }
        return true
    }

    private func trim() {
        var surplus = max(undoSteps.count - max(stepLimit, 1), 0)
        for step in undoSteps[..<surplus] { size -= step.log.size }
        while size > byteLimit, surplus < undoSteps.count - 1 {
            size -= undoSteps[surplus].log.size
            surplus += 1
        }
        if surplus > 0 { undoSteps.removeFirst(surplus) }
    }

    private static func size(of steps: [Step]) -> Int { steps.reduce(0) { $0 + $1.log.size } }
}

extension UndoHistory: ChangeRecorder {
    func record(_ log: ChangeLog) {
        undoSteps.append(Step(name: groupNames.first ?? "", log: log))
        size += log.size - Self.size(of: redoSteps)
        redoSteps = []
        trim()
    }

    func didSave() { saved = (undoSteps, redoSteps) }

    func didRollBack() {
        (undoSteps, redoSteps) = saved
        size = Self.size(of: undoSteps) + Self.size(of: redoSteps)
        trim()
    }
}
