import Cabinet
import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

/// What a merge has brought stays when steps of before and after it are taken back and made again.
@MainActor
struct StepsAndMergesTests {
    final class Plant: StoredObject {
        @Field var name = "0"
        @Field var height = 0
        @One var neighbour: Plant?
    }

    private struct Scene {
        let container: StoreContainer
        let other: Store
        let store: Store
        let theirs: Plant
        let mine: Plant

        @MainActor init() throws {
            container = StoreContainer(inMemory: [Plant.self])
            (other, store) = (try container.makeStore(), try container.makeStore())
            theirs = Plant()
            other.insert(theirs)
            try other.save()
            try store.refresh()
            mine = try #require(try store.objects(of: Plant.self).first)
            store.undoHistory.isEnabled = true
        }

        @MainActor func saved() throws -> String {
            let plant = try #require(try container.makeStore().objects(of: Plant.self).first)
            return "\(plant.name) \(plant.height) \(plant.neighbour === plant)"
        }
    }

    enum Policy: CaseIterable {
        case merge, theirs, fields

        var policy: ConflictPolicy {
            switch self {
            case .merge: .merge
            case .theirs: .theirs
            case .fields: .resolve { _ in .fields(["height": .theirs, "neighbour": .theirs]) }
            }
        }
    }

    @Test(arguments: Policy.allCases, [false, true])
    func aStepThatIsTakenBackLeavesWhatOthersHaveSaved(
        _ policy: Policy, _ refreshes: Bool
    ) throws {
        for relates in [false, true] {
            let scene = try Scene()
            scene.mine.name = "mine 1"
            scene.theirs.height = 9
            if relates { scene.theirs.neighbour = scene.theirs }
            try scene.other.save()
            if refreshes { try scene.store.refresh() }
            scene.mine.name = "mine 2"
            try scene.store.save(onConflict: policy.policy)
            try scene.store.undoHistory.undo()
            try scene.store.save()
            #expect(try scene.saved().hasSuffix(" 9 \(relates)"))
            try scene.store.undoHistory.redo()
            try scene.store.save()
            #expect(try scene.saved().hasSuffix(" 9 \(relates)"))
        }
    }

    @Test(arguments: Policy.allCases)
    func aStepThatIsMadeAgainLeavesThem(_ policy: Policy) throws {
        let scene = try Scene()
        scene.mine.name = "mine"
        scene.theirs.height = 9
        try scene.other.save()
        try scene.store.refresh()
        try scene.store.undoHistory.undo()
        try scene.store.save(onConflict: policy.policy)
        try scene.store.undoHistory.redo()
        try scene.store.save()
        #expect(try scene.saved().hasSuffix(" 9 false"))
    }

    /// Random edits of different fields by two stores: no value of the other store's is ever lost.
    @Test func noValueOfOthersIsLost() throws {
        for part in 0..<UInt64(RunSetting.repetitions(400)) {
            var random = SeededRandom(seed: RunSetting.seed, part: part)
            let scene = try Scene()
            var height = 0
            for step in 0..<12 {
                switch Int.random(in: 0..<7, using: &random) {
                case 0, 1: scene.mine.name = "\(step)"
                case 2:
                    height += 1
                    scene.theirs.height = height
                    try scene.other.save(onConflict: .merge)
                case 3: try scene.store.refresh()
                case 4: _ = try scene.store.undoHistory.undo()
                case 5: _ = try scene.store.undoHistory.redo()
                default:
                    try scene.store.save(onConflict: .merge)
                    // A save of nothing does not catch up.
                    try scene.store.refresh()
                    #expect(scene.mine.height == height, "part \(part), step \(step)")
                    try scene.other.refresh()
                }
            }
            try scene.store.save(onConflict: .merge)
            #expect(try scene.saved().contains(" \(height) "), "part \(part)")
        }
    }

    @Test(arguments: [false, true])
    func whatBothHaveDeletedIsNoConflict(_ refreshes: Bool) throws {
        for policy in [ConflictPolicy.throw, .merge, .theirs, .mine] {
            let scene = try Scene()
            try scene.store.delete(scene.mine)
            scene.theirs.name = "changed"
            try scene.other.save()
            if refreshes { try scene.store.refresh() }
            try scene.other.delete(scene.theirs)
            try scene.other.save()
            try scene.store.save(onConflict: policy)
            #expect(scene.mine.isDeleted && !scene.store.hasChanges)
        }
    }
}
