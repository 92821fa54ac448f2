import Testing
import TrustSupport

struct KillTests {
    @Test(arguments: StoreUnderTest.sealings)
    func aKilledProcessLosesNothingThatWasAcknowledged(isSealed: Bool) async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        try await StoreUnderTest.$isSealed.withValue(isSealed) {
            try await run(stores: isSealed ? 4 : 8, killsPerStore: 25, objectsEvery: 0, program)
        }
    }

    /// The same through `Store`: classes of declared fields and one written by hand, inverses,
    /// cascades, undo, rollbacks and named buffers.
    @Test(arguments: StoreUnderTest.sealings)
    func aKilledProcessLosesNoObjectsEither(isSealed: Bool) async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        try await StoreUnderTest.$isSealed.withValue(isSealed) {
            try await run(stores: isSealed ? 2 : 6, killsPerStore: 10, objectsEvery: 1, program)
        }
    }

    private func run(
        stores: Int, killsPerStore: Int, objectsEvery: Int, _ program: String
    ) async throws {
        let kills = RunSetting.repetitions(killsPerStore)
        var campaign = KillCampaign(
            program: program, seed: RunSetting.seed, count: stores * kills)
        campaign.killsPerStore = kills
        campaign.objectsEvery = objectsEvery
        let tally = try await withThrowingTaskGroup(of: KillTally.self) { group in
            var tally = KillTally()
            for lane in 0..<2 {
                group.addTask { [campaign] in try campaign.run(lane: lane, of: 2) }
            }
            for try await part in group { tally.add(part) }
            return tally
        }
        print("seed \(RunSetting.seed): \(tally.description)")
        #expect(tally.losses.isEmpty, "\(tally.losses.joined(separator: "\n"))")
        #expect(tally.kills == campaign.count || !tally.losses.isEmpty)
        #expect(tally.acknowledged > campaign.count / 2)
    }
}
