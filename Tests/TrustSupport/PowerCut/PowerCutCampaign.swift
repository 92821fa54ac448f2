import CabinetBackend
import CabinetTokyo
import Foundation

/// Many power cuts, of one scene after another, each fourth of them a store of objects.
package struct PowerCutCampaign: Sendable {
    package var seed: UInt64
    package var durability: Durability
    /// States of each cut that are opened, where there are too many for all of them.
    package var sample = 16
    package var exhaustiveLimit = 128
    package var cutsEvery = 1

    package init(seed: UInt64, durability: Durability) {
        self.seed = seed
        self.durability = durability
    }

    /// Opens at least so many states, and the whole of one scene in any case.
    package func run(
        states count: Int, progress: (PowerCutRun.Tally) -> Void = { _ in }
    ) throws -> PowerCutRun.Tally {
        var tally = PowerCutRun.Tally()
        var part: UInt64 = 0
        repeat {
            tally.add(try scene(part))
            part += 1
            progress(tally)
        } while tally.states < count && tally.failures.count < 20
        return tally
    }

    private func scene(_ part: UInt64) throws -> PowerCutRun.Tally {
        let seed = seed &* 1_000_003 &+ part
        if part % 4 == 2 {
            var run = ObjectCutRun(seed: seed, durability: durability)
            run.sample = sample
            run.exhaustiveLimit = exhaustiveLimit
            run.cutsEvery = cutsEvery
            return try run.run()
        }
        let directory = ScratchDirectory()
        let scene = LedgerScene(
            root: directory.path, seed: seed, filling: part % 4 == 3 ? 1000 : 60,
            durability: durability)
        try scene.play(part == 0 ? Self.firstSteps : Self.steps(seed))
        var run = PowerCutRun(seed: seed)
        run.sample = sample
        run.exhaustiveLimit = exhaustiveLimit
        run.cutsEvery = cutsEvery
        return try run.run(scene)
    }

    private static let firstSteps: [LedgerScene.Step] = [
        .save(2), .sync, .save(1), .reopen, .save(2), .reopen, .reopen, .save(1),
    ]

    private static func steps(_ seed: UInt64) -> [LedgerScene.Step] {
        var random = SeededRandom(seed: seed, part: 5)
        return (0..<8).map { _ in
            switch random.below(10) {
            case 0: .sync
            case 1: .compact
            case 2...3: .reopen
            case 4: failingSave(&random)
            default: .save(1 + random.below(3))
            }
        }
    }

    private static func failingSave(_ random: inout SeededRandom) -> LedgerScene.Step {
        let faults: [FaultyFiles.Fault] = [
            .error(EIO), .error(ENOSPC), .shortWrite(ENOSPC), .doneButReported(EIO),
        ]
        let countsFromLog = random.once(in: 2)
        var failure = FailingSave(
            operation: random.below(countsFromLog ? 3 : 12),
            fault: faults[random.below(faults.count)], lasts: random.once(in: 2))
        failure.countsFromLog = countsFromLog
        return .failingSave(failure)
    }
}
