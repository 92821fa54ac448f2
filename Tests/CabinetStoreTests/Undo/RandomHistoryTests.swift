import Testing
import TrustSupport

struct RandomHistoryTests {
    @Test(arguments: RunSetting.seeds(30))
    func everyTurnOfAHistoryAgreesWithPlainValues(_ seed: UInt64) throws {
        #expect(try RandomHistory(seed: seed).play(turns: 120) == 120)
    }

    @Test(arguments: RunSetting.seeds(10))
    func aHistoryOfFewStepsAgreesWithPlainValues(_ seed: UInt64) throws {
        #expect(try RandomHistory(seed: seed, stepLimit: 3).play(turns: 150) == 150)
    }
}
