import Testing
import TrustSupport

struct KillTests {
    @Test func aKilledProcessLosesNothingThatWasAcknowledged() async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        var campaign = KillCampaign(program: program, seed: RunSetting.seed, count: 200)
        campaign.objectsEvery = 0
        try await run(campaign)
    }

    /// The same through `Store`: classes of declared fields and one written by hand, inverses,
    /// cascades, undo, rollbacks and named buffers.
    @Test func aKilledProcessLosesNoObjectsEither() async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        var campaign = KillCampaign(program: program, seed: RunSetting.seed, count: 60)
        campaign.objectsEvery = 1
        campaign.killsPerStore = 10
        try await run(campaign)
    }

    private func run(_ campaign: KillCampaign) async throws {
        let tally = try await withThrowingTaskGroup(of: KillTally.self) { group in
            var tally = KillTally()
            for lane in 0..<2 { group.addTask { try campaign.run(lane: lane, of: 2) } }
            for try await part in group { tally.add(part) }
            return tally
        }
        print("seed \(RunSetting.seed): \(tally.description)")
        #expect(tally.losses.isEmpty, "\(tally.losses.joined(separator: "\n"))")
        #expect(tally.kills == campaign.count || !tally.losses.isEmpty)
        #expect(tally.acknowledged > campaign.count / 2)
    }
}
