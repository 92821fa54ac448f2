/// The steps of a store's history: what is recorded, kept and forgotten.
final class UndoSteps: ChangeRecorder {
    /// One thing that `undo()` takes back, or `redo()` makes again.
    struct Step {
        let name: String
        let log: ChangeLog
    }

    /// What can be taken back, the last step last.
    @exclusivity(unchecked) var undoable: [Step] = []
    /// What can be made again, the next step last.
    @exclusivity(unchecked) var redoable: [Step] = []
    /// The names of the groups under way, the innermost last.
    var groupNames: [String] = []
    var stepLimit = 1000 { didSet { trim() } }
    var byteLimit = 64 << 20 { didSet { trim() } }

    /// How much memory both lists take, in bytes.
    @exclusivity(unchecked) private var size = 0
    /// Both lists as they were at the last save, which a rollback goes back to.
    private var saved: (undoable: [Step], redoable: [Step]) = ([], [])

    func removeAll() {
        undoable = []
        redoable = []
        size = 0
        saved = ([], [])
    }

    /// `step` was taken back or made again; `inverse` is what leads the other way.
    func move(
        _ step: Step, as inverse: ChangeLog,
        from source: ReferenceWritableKeyPath<UndoSteps, [Step]>,
        to target: ReferenceWritableKeyPath<UndoSteps, [Step]>
    ) {
        self[keyPath: source].removeLast()
        self[keyPath: target].append(Step(name: step.name, log: inverse))
        size += inverse.size - step.log.size
    }

    func record(_ log: ChangeLog) {
        undoable.append(Step(name: groupNames.first ?? "", log: log))
        size += log.size
        if !redoable.isEmpty {
            size -= Self.size(of: redoable)
            redoable = []
        }
        trim()
    }

    func didSave() { saved = (undoable, redoable) }

    func didRollBack() {
        (undoable, redoable) = saved
        size = Self.size(of: undoable) + Self.size(of: redoable)
        trim()
    }

    func didChangeOutsideSteps(_ log: ChangeLog?) {
        guard let log else { return removeAll() }
        let steps = undoable + redoable + saved.undoable + saved.redoable
        if steps.contains(where: { $0.log.covers(anyOf: log) }) { removeAll() }
    }

    private func trim() {
        if undoable.count <= stepLimit, size <= byteLimit { return }
        var surplus = max(undoable.count - stepLimit, 0)
        for step in undoable[..<surplus] { size -= step.log.size }
        while size > byteLimit, surplus < undoable.count - 1 {
            size -= undoable[surplus].log.size
            surplus += 1
        }
        if surplus > 0 { undoable.removeFirst(surplus) }
    }

    private static func size(of steps: [Step]) -> Int { steps.reduce(0) { $0 + $1.log.size } }
}
