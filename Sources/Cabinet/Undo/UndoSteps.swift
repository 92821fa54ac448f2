/// The steps of a store's history: what is recorded, kept and forgotten.
final class UndoSteps: ChangeRecorder {
    /// One thing that `undo()` takes back, or `redo()` makes again.
    struct Step {
        let name: String
        let log: ChangeLog
        /// By which ``KeptSteps`` has it; 0: by none.
        var number: UInt64 = 0
    }

    private unowned let store: Store
    /// What can be taken back, the last step last.
    @exclusivity(unchecked) var undoable = StepStack()
    /// What can be made again, the next step last.
    @exclusivity(unchecked) var redoable = StepStack()
    @exclusivity(unchecked) var groupNames: [String] = []
    @exclusivity(unchecked) var stepLimit = 1000 { didSet { trim() } }
    @exclusivity(unchecked) var byteLimit = 64 << 20 { didSet { trim() } }

    /// How much memory both lists take, in bytes.
    @exclusivity(unchecked) private var size = 0

    /// What keeps the steps for later runs; `nil` if nothing does.
    weak var kept: KeptSteps?

    init(_ store: Store) { self.store = store }

    /// An earlier run has left these.
    func load(undoable: [Step], redoable: [Step]) {
        self.undoable = StepStack(saved: undoable)
        self.redoable = StepStack(saved: redoable)
        size = self.undoable.size + self.redoable.size
        trim()
    }

    func removeAll() {
        undoable = StepStack()
        redoable = StepStack()
        size = 0
    }

    /// `step`, the last one, was taken back (`isUndo`) or made again; `inverse` leads back.
    func move(_ step: Step, as inverse: ChangeLog, isUndo: Bool) {
        let moved = Step(name: step.name, log: inverse)
        if isUndo {
            undoable.removeLast()
            redoable.append(moved)
        } else {
            redoable.removeLast()
            undoable.append(moved)
        }
        size += inverse.size - step.log.size
    }

    var keys: Set<UInt64> {
        var keys: Set<UInt64> = []
        for step in undoable.all + redoable.all {
            step.log.forEachReversed { keys.insert($0.pointee.key) }
        }
        return keys
    }

    /// Which changes of others the steps know of.
    var serials: [UInt32] { (undoable.all + redoable.all).map(\.log.serial) }

    func record(_ log: ChangeLog) {
        let name = groupNames.first ?? ""
        undoable.append(Step(name: name, log: log))
        if !name.isEmpty { store.note(CommitStep(kind: .made, name: name)) }
        size += log.size
        if !redoable.isEmpty {
            size -= redoable.size
            redoable.removeSteps()
        }
        trim()
    }

    var awaitsSave: Bool { kept?.awaitsSave ?? false }

    func willSave() {
        undoable.willSave()
        redoable.willSave()
    }

    func didNotSave() {
        undoable.didNotSave()
        redoable.didNotSave()
    }

    func didSave() {
        undoable.didSave()
        redoable.didSave()
    }

    func didRollBack() {
        undoable.didRollBack()
        redoable.didRollBack()
        size = undoable.size + redoable.size
        trim()
    }

    func didChangeOutsideSteps(_ log: ChangeLog?) {
        guard let log else { return removeAll() }
        func isConcerned(_ step: Step) -> Bool { step.log.covers(anyOf: log) }
        if undoable.contains(where: isConcerned) || redoable.contains(where: isConcerned) {
            removeAll()
        }
    }

    private func trim() {
        while undoable.count > stepLimit || size > byteLimit && undoable.count > 1 {
            guard let step = undoable.removeFirst() else { return }
            size -= step.log.size
        }
    }
}
