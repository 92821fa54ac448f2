import CabinetBackend
import Testing
import TrustSupport

/// The loss of power while objects with indexes and a text index are saved.
struct ObjectCutTests {
    @Test(arguments: [Durability.full, .process])
    func everyIndexAgreesWithWhatACutLeaves(_ durability: Durability) throws {
        var run = ObjectCutRun(seed: RunSetting.seed, durability: durability)
        run.exhaustiveLimit = RunSetting.repetitions(8)
        run.sample = RunSetting.repetitions(2)
        // A sample has one state at least.
        run.cutsEvery = max(RunSetting.share / 2, 1)
        let tally = try run.run()
        print("seed \(RunSetting.seed), \(durability): objects, \(tally.description)")
        #expect(tally.failures.isEmpty, "\(tally.failures.joined(separator: "\n"))")
        #expect(tally.states > 100 / RunSetting.share)
    }
}
