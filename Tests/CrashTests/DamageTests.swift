import Testing
import TrustSupport

struct DamageTests {
    @Test(arguments: [true, false], StoreUnderTest.sealings)
    func aDamagedFileGivesRightDataOrAnError(isClosed: Bool, isSealed: Bool) async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        let count = RunSetting.repetitions(400)
        let run = DamageRun(seed: RunSetting.seed, isClosed: isClosed, count: count)
        let (tried, wrong) = try StoreUnderTest.$isSealed.withValue(isSealed) {
            try run.run(program: program)
        }
        print(
            "damages \(tried), closed in order: \(isClosed), sealed: \(isSealed), wrong: \(wrong.count)"
        )
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        #expect(tried == count || !wrong.isEmpty)
    }
}
