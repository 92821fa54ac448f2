import Testing
import TrustSupport

struct KillTests {
    @Test func aKilledProcessLosesNothingThatWasAcknowledged() async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        let count = 200
        let campaign = KillCampaign(program: program, seed: RunSetting.seed, count: count)
        let tally = try await withThrowingTaskGroup(of: KillRun.Tally.self) { group in
            var tally = KillRun.Tally()
            for lane in 0..<2 { group.addTask { try campaign.run(lane: lane, of: 2) } }
            for try await part in group { tally.add(part) }
            return tally
        }
        print("seed \(RunSetting.seed): \(tally.description)")
        #expect(tally.losses.isEmpty, "\(tally.losses.joined(separator: "\n"))")
        #expect(tally.kills == count || !tally.losses.isEmpty)
        #expect(tally.acknowledged > count / 2)
    }
}
