import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What is kept of steps, and what a rollback brings back.
struct StepStackTests {
    typealias Step = StepStack.Step

    /// The same as two lists, one of which is copied at each save.
    private struct Model {
        var steps: [Step] = []
        var saved: [Step] = []
        /// What a save writes that goes on.
        var saving: [Step]?
    }

    private func isSame(_ stack: StepStack, _ steps: [Step]) -> Bool {
        var stack = stack
        var found: [Step] = []
        while let step = stack.last {
            found.append(step)
            stack.removeLast()
        }
        return found.reversed().elementsEqual(steps) { $0.log === $1.log && $0.name == $1.name }
    }

    @Test(arguments: 0..<20)
    func itIsAListThatIsCopiedAtEachSave(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (stack, model) = (StepStack(), Model())
        var (made, rollbacks) = (0, 0)
        for turn in 0..<2000 {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<45:
                let step = Step(name: "\(turn)", log: ChangeLog.make(isUndoable: true))
                stack.append(step)
                model.steps.append(step)
                made += 1
            case ..<65:
                stack.removeLast()
                _ = model.steps.popLast()
            case ..<88:
                let oldest = stack.removeFirst()
                #expect(oldest?.log === model.steps.first?.log)
                if !model.steps.isEmpty { model.steps.removeFirst() }
            case ..<91:
                stack.didSave()
                model.saved = model.saving ?? model.steps
                model.saving = nil
            case ..<94 where model.saving == nil:
                stack.willSave()
                model.saving = model.steps
            case ..<95:
                stack.didNotSave()
                model.saving = nil
            case ..<98 where model.saving == nil:
                stack.didRollBack()
                model.steps = model.saved
                rollbacks += 1
            case ..<99:
                stack.removeSteps()
                model.steps = []
            case _ where model.saving != nil: break
            default:
                stack = StepStack()
                model = Model()
            }
            #expect(stack.count == model.steps.count)
            #expect(stack.isEmpty == model.steps.isEmpty)
            #expect(stack.last?.log === model.steps.last?.log)
            let all = model.steps + model.saved + (model.saving ?? [])
            for step in all { #expect(stack.contains { $0.log === step.log }) }
            if turn % 50 == 0 { #expect(isSame(stack, model.steps)) }
        }
        #expect(isSame(stack, model.steps))
        #expect(made > 0 && rollbacks > 0)
    }

    /// Dropping a step moved all others, and the first step after a save copied them.
    @Test func stepsThatAreDroppedAreFreed() {
        var stack = StepStack()
        weak var dropped: ChangeLog?
        weak var kept: ChangeLog?
        do {
            let (one, other) = (ChangeLog.make(isUndoable: true), ChangeLog.make(isUndoable: true))
            (dropped, kept) = (one, other)
            stack.append(Step(name: "", log: one))
            stack.append(Step(name: "", log: other))
        }
        _ = stack.removeFirst()
        #expect(dropped == nil)
        #expect(kept != nil)
        stack.didSave()
        _ = stack.removeFirst()
        #expect(kept != nil)
        stack.didSave()
        #expect(kept == nil)
        #expect(stack.isEmpty)
    }
}
