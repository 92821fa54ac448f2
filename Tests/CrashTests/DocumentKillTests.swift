import Testing
import TrustSupport

/// Store files of programs that are killed.
struct DocumentKillTests {
    @Test func aKilledDocumentIsTheFormerOrTheNew() throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        let tally = try DocumentKillRun.campaign(
            program: program, seed: RunSetting.seed, count: RunSetting.repetitions(800))
        #expect(tally.losses == [])
        #expect(tally.kills == RunSetting.repetitions(800))
        #expect(tally.acknowledged > 0)
    }
}
