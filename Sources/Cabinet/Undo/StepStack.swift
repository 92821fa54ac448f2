/// Steps, the latest last, with what stood there at the last save.
///
/// The oldest steps are dropped without moving the others, and a save copies nothing: what was
/// taken out since then is kept aside.
struct StepStack {
    typealias Step = UndoSteps.Step

    /// The steps from `start` on; before it, there is `nil`.
    private var steps: [Step?] = []
    private var start = 0

    /// How many of the steps, the oldest ones, stood there at the last save.
    private var savedCount = 0
    /// What stood there then, before those, and was dropped since: the oldest first.
    private var dropped: [Step] = []
    /// What stood there then, after those, and was taken out since: the latest first.
    private var taken: [Step] = []
    /// How many of the steps, the oldest ones, stood there when the save that goes on began.
    private var savingCount: Int?
    /// What stood there then and was dropped or taken out since, as `dropped` and `taken`.
    private var droppedSince: [Step] = []
    private var takenSince: [Step] = []

    var count: Int { steps.count - start }
    var isEmpty: Bool { steps.count == start }
    var first: Step? { isEmpty ? nil : steps[start] }
    var last: Step? { isEmpty ? nil : steps[steps.count - 1] }

    /// How much memory the steps take, in bytes, without those that are kept aside.
    var size: Int { steps[start...].reduce(0) { $0 + ($1?.log.size ?? 0) } }

    mutating func append(_ step: Step) { steps.append(step) }

    /// Gives each step that has none a number, ascending from `next` on.
    mutating func number(from next: inout UInt64) {
        for index in steps.indices[start...].reversed() {
            guard let number = steps[index]?.number else { continue }
            if number != 0 { break }
            steps[index]?.number = .max
        }
        for index in steps.indices[start...] where steps[index]?.number == .max {
            steps[index]?.number = next
            next += 1
        }
    }

    /// The steps, the latest first.
    var latestFirst: some Sequence<Step> { steps[start...].lazy.reversed().compactMap { $0 } }

    /// The stack of an open store begins with steps that are saved.
    init(saved steps: [Step]) {
        self.steps = steps
        savedCount = steps.count
    }

    init() {}

    mutating func removeLast() {
        guard !isEmpty, let step = steps.removeLast() else { return }
        if let savingCount, count < savingCount {
            self.savingCount = count
            takenSince.append(step)
        }
        if count >= savedCount { return }
        savedCount = count
        taken.append(step)
    }

    mutating func removeSteps() { while !isEmpty { removeLast() } }

    mutating func removeFirst() -> Step? {
        guard !isEmpty, let step = steps[start].take() else { return nil }
        start += 1
        if let count = savingCount, count > 0 {
            savingCount = count - 1
            droppedSince.append(step)
        }
        if savedCount > 0 {
            savedCount -= 1
            dropped.append(step)
        }
        // Each step is moved once at most for each that was dropped.
        if start > count {
            steps.removeFirst(start)
            start = 0
        }
        return step
    }

    /// A save begins, and later steps are no part of it.
    mutating func willSave() { savingCount = count }

    mutating func didNotSave() {
        savingCount = nil
        if !droppedSince.isEmpty { droppedSince = [] }
        if !takenSince.isEmpty { takenSince = [] }
    }

    /// All pending changes were saved, or those at the call of ``willSave()``: the steps at that
    /// time are the saved ones.
    mutating func didSave() {
        savedCount = min(savingCount ?? count, count)
        savingCount = nil
        if !dropped.isEmpty || !droppedSince.isEmpty { swap(&dropped, &droppedSince) }
        if !taken.isEmpty || !takenSince.isEmpty { swap(&taken, &takenSince) }
        didNotSave()
    }

    /// The steps become those of the last save.
    mutating func didRollBack() {
        let kept = steps[start..<start + savedCount]
        steps = dropped + kept + taken.reversed()
        (start, dropped, taken) = (0, [], [])
        savedCount = steps.count
    }

    /// All steps, also those that only a rollback would bring back, in no order; some twice.
    var all: [Step] {
        // What was dropped or taken out since a save began may be in both.
        steps[start...].compactMap { $0 } + dropped + taken + droppedSince + takenSince
    }

    /// Whether `condition` is true of a step, also of those that only a rollback would bring back.
    func contains(where condition: (Step) -> Bool) -> Bool {
        steps[start...].contains { $0.map(condition) ?? false }
            || dropped.contains(where: condition) || taken.contains(where: condition)
            || droppedSince.contains(where: condition) || takenSince.contains(where: condition)
    }
}
