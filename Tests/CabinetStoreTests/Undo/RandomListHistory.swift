import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Edits lists from both sides at random, with deletes, groups, undo, saves and rollbacks, and
/// compares the store with plain arrays.
///
/// The store is looked at now and then only, so that changes from the other side pile up.
final class RandomListHistory {
    private struct GivenUp: Error {}

    private let backend = MemoryBackend()
    let store: Store
    let seed: UInt64
    var random: SeededRandom
    var now = ListWorld()
    private var saved = ListWorld()
    private var undoWorlds: [ListWorld] = []
    private var redoWorlds: [ListWorld] = []
    private var savedStacks: (undo: [ListWorld], redo: [ListWorld]) = ([], [])
    var held: [StoredObject] = []
    var titles = 0

    /// `isEager`: lists are changed in their arrays; otherwise they go away at the first change.
    init(seed: UInt64, isEager: Bool, isUndoing: Bool = true) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        store = try Store(backend: backend, classes: tunes)
        store.undoHistory.isEnabled = isUndoing
        if isEager { return }
        store.lists.leastCount = 2
        store.lists.costOfLeaving = 0
    }

    /// Returns after how many turns the store agreed; at the first where it does not, it ends.
    func play(turns: Int) throws -> Int {
        for turn in 0..<turns {
            let what = try takeTurn()
            // Sometimes a long run without a look.
            guard random.next(upTo: turn / 40 % 2 == 0 ? 2 : 12) == 0 else { continue }
            let seen = try ListWorld(store)
            guard seen == now else {
                Issue.record("seed \(seed), turn \(turn), after \(what):\n\(seen)\nis not\n\(now)")
                return turn
            }
        }
        return try ListWorld(store) == now ? turns : 0
    }

    private func takeTurn() throws -> String {
        if random.next(upTo: 12) == 0 { held.removeAll() }
        let isUndoing = store.undoHistory.isEnabled
        switch random.next(upTo: 24) {
        case 0...13:
            let before = now
            guard let what = try edit() else { return "nothing" }
            didStep(from: before)
            return what
        case 14, 15: return try playGroup()
        case 16: return try playGroupThatThrows()
        case 17, 18, 19: return isUndoing ? try undo() : "nothing"
        case 20: return isUndoing ? try redo() : "nothing"
        case 21: return try save()
        case 22:
            guard random.next(upTo: 3) == 0 else { return "nothing" }
            store.rollback()
            now = saved
            (undoWorlds, redoWorlds) = savedStacks
            return "rollback"
        default:
            store.dissolveAllRelationships()
            return "dissolve"
        }
    }

    private func didStep(from before: ListWorld) {
        undoWorlds.append(before)
        redoWorlds = []
    }

    private func undo() throws -> String {
        #expect(try store.undoHistory.undo() == !undoWorlds.isEmpty, "seed \(seed)")
        if let before = undoWorlds.popLast() {
            redoWorlds.append(now)
            now = before
        }
        return "undo"
    }

    private func redo() throws -> String {
        #expect(try store.undoHistory.redo() == !redoWorlds.isEmpty, "seed \(seed)")
        if let after = redoWorlds.popLast() {
            undoWorlds.append(now)
            now = after
        }
        return "redo"
    }

    private func save() throws -> String {
        try store.save()
        saved = now
        savedStacks = (undoWorlds, redoWorlds)
        let again = try Store(backend: backend, classes: tunes)
        #expect(try ListWorld(again) == now, "seed \(seed): what was saved")
        return "save"
    }

    private func playGroup() throws -> String {
        let before = now
        var whats: [String] = []
        try store.undoHistory.group {
            for _ in 0..<random.next(upTo: 6) { whats += [try reconciledEdit()].compactMap(\.self) }
            if random.next(upTo: 3) == 0 { _ = try playGroupThatThrows() }
            if random.next(upTo: 3) == 0 {
                try store.undoHistory.group { whats += [try reconciledEdit()].compactMap(\.self) }
            }
        }
        if !whats.isEmpty { didStep(from: before) }
        return "group \(whats)"
    }

    private func playGroupThatThrows() throws -> String {
        let before = now
        var whats: [String] = []
        do {
            try store.undoHistory.group {
                for _ in 0..<random.next(upTo: 6) {
                    whats += [try reconciledEdit()].compactMap(\.self)
                }
                // One that is not reconciled when the group ends.
                if random.next(upTo: 2) == 0 { _ = try edit() }
                throw GivenUp()
            }
        } catch is GivenUp {}
        now = before
        return "thrown \(whats)"
    }

    /// In a group, and without undo, what follows from an edit may come later, and then in another
    /// order: here it comes at once.
    private func reconciledEdit() throws -> String? {
        let what = try edit()
        store.reconcileEdits()
        return what
    }
}

struct RandomListHistoryTests {
    @Test(arguments: RunSetting.seeds(24), [true, false])
    func editsFromBothSidesAgreeWithPlainArrays(_ seed: UInt64, _ isEager: Bool) throws {
        #expect(try RandomListHistory(seed: seed, isEager: isEager).play(turns: 240) == 240)
    }

    @Test(arguments: RunSetting.seeds(10), [true, false])
    func withoutUndoTheyDoToo(_ seed: UInt64, _ isEager: Bool) throws {
        let history = try RandomListHistory(seed: seed, isEager: isEager, isUndoing: false)
        #expect(try history.play(turns: 240) == 240)
    }
}
