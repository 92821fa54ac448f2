import Testing

struct RandomHistoryTests {
    @Test(arguments: 0..<30 as Range<UInt64>)
    func everyTurnOfAHistoryAgreesWithPlainValues(_ seed: UInt64) throws {
        #expect(try RandomHistory(seed: seed).play(turns: 120) == 120)
    }

    @Test(arguments: 100..<110 as Range<UInt64>)
    func aHistoryOfFewStepsAgreesWithPlainValues(_ seed: UInt64) throws {
        #expect(try RandomHistory(seed: seed, stepLimit: 3).play(turns: 150) == 150)
    }
}
