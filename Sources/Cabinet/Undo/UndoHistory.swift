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

    /// The most memory that kept contents may take, in bytes; the oldest steps go first, but never
    /// the last one. 64 MiB at first.
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
        saved = ([], [])
    }

    /// Makes all changes in `body` one step under `name`. A group within a group is part of it.
    ///
    /// If `body` throws, everything it changed is taken back, and there is no step. This holds
    /// while recording is off, too.
    /// - Throws: what `body` throws.
    public func group<Result>(_ name: String = "", _ body: () throws -> Result) throws -> Result {
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
    /// - Throws: ``StoreError/enumerating``, or why an object's present content could not be read;
    ///   then nothing has changed.
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
        try store.checkOpen()
        if store.enumerations > 0 { throw StoreError.enumerating }
        guard let step = self[keyPath: source].last else { return false }
        let inverse = try store.changes.revert(step.log, in: store)
        self[keyPath: source].removeLast()
        self[keyPath: target].append(Step(name: step.name, log: inverse))
        store.tellDelegate { $0.storeDidChange(store) }
        return true
    }

    private func trim() {
        let surplus = undoSteps.count - max(stepLimit, 1)
        if surplus > 0 { undoSteps.removeFirst(surplus) }
        var size = undoSteps.reduce(0) { $0 + $1.log.size }
        var dropped = 0
        while size > byteLimit, dropped < undoSteps.count - 1 {
            size -= undoSteps[dropped].log.size
            dropped += 1
        }
        undoSteps.removeFirst(dropped)
    }
}

extension UndoHistory: ChangeRecorder {
    func record(_ log: ChangeLog) {
        undoSteps.append(Step(name: groupNames.first ?? "", log: log))
        redoSteps = []
        trim()
    }

    func didSave() { saved = (undoSteps, redoSteps) }

    func didRollBack() { (undoSteps, redoSteps) = saved }
}
