import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

struct PowerCutTests {
    private func report(_ tally: PowerCutRun.Tally, _ durability: Durability) {
        print("seed \(RunSetting.seed), \(durability): \(tally.description)")
        #expect(tally.failures.isEmpty, "\(tally.failures.joined(separator: "\n"))")
        #expect(tally.states > 0)
    }

    /// Where there are few enough states, all of them.
    @Test(arguments: [Durability.full, .process])
    func everyStateOfASmallStoreIsSurvived(_ durability: Durability) async throws {
        let directory = try ScratchDirectory()
        let scene = LedgerScene(
            root: directory.path, seed: RunSetting.seed, filling: 40, durability: durability)
        try scene.play([.save(1)])
        var run = PowerCutRun(seed: RunSetting.seed)
        run.exhaustiveLimit = RunSetting.repetitions(256)
        run.sample = 2
        run.deepEvery = 64
        let tally = try run.run(scene)
        report(tally, durability)
        #expect(tally.exhaustiveCuts > 20 / RunSetting.share)
    }

    /// Saves, syncs, orderly closes and openings, cut short at every operation; some of the
    /// recoveries are cut short again.
    @Test(arguments: [Durability.full, .process])
    func aCutIsSurvivedAtEveryMomentOfALongerLife(_ durability: Durability) async throws {
        var campaign = PowerCutCampaign(seed: RunSetting.seed, durability: durability)
        campaign.sample = RunSetting.repetitions(3)
        campaign.exhaustiveLimit = RunSetting.repetitions(16)
        report(try campaign.run(states: 0), durability)
    }

    /// A save that has thrown is never seen again, unless the disk refused the word that takes it
    /// back; and not then, once the store has saved, synced or closed.
    @Test(arguments: [Durability.full, .process], [false, true])
    func aFailedSaveIsNotSeenAfterACut(_ durability: Durability, lasts: Bool) async throws {
        let faults: [FaultyFiles.Fault] = [.error(EIO), .shortWrite(ENOSPC), .doneButReported(EIO)]
        let next: [LedgerScene.Step] = [.save(1), .reopen, .sync]
        var tally = PowerCutRun.Tally()
        for (number, fault) in faults.enumerated() {
            for operation in 0..<2 {
                let directory = try ScratchDirectory()
                let scene = LedgerScene(
                    root: directory.path, seed: RunSetting.seed, filling: 40,
                    durability: durability)
                try scene.play([
                    .save(2),
                    .failingSave(
                        FailingSave(operation: operation, fault: fault, lasts: lasts)),
                    next[(number + operation) % next.count], .save(1),
                ])
                var run = PowerCutRun(seed: RunSetting.seed)
                run.exhaustiveLimit = RunSetting.repetitions(8)
                run.sample = 1
                tally.add(try run.run(scene, depth: 0))
            }
        }
        report(tally, durability)
    }
}
