import Testing
import TrustSupport

struct DamageTests {
    @Test(arguments: [true, false])
    func aDamagedFileGivesRightDataOrAnError(isClosed: Bool) async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        let count = RunSetting.repetitions(400)
        let run = DamageRun(seed: RunSetting.seed, isClosed: isClosed, count: count)
        let (tried, wrong) = try run.run(program: program)
        print("damages \(tried), closed in order: \(isClosed), wrong: \(wrong.count)")
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        #expect(tried == count || !wrong.isEmpty)
    }
}
