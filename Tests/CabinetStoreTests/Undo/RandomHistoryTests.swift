import CabinetSQLite
import CabinetTestSupport
import Testing
import TrustSupport

struct RandomHistoryTests {
    @Test(arguments: RunSetting.seeds(30))
    func everyTurnOfAHistoryAgreesWithPlainValues(_ seed: UInt64) throws {
        #expect(try RandomHistory(seed: seed).play(turns: 120) == 120)
    }

    #if SQLite
        @Test(arguments: RunSetting.seeds(6))
        func aHistoryInAFileOfSQLitesAgreesWithPlainValues(_ seed: UInt64) throws {
            let directory = try TemporaryDirectory()
            let backend = try SQLiteBackend(
                path: directory.path + "Store.sqlite", durability: .process)
            #expect(try RandomHistory(seed: seed, backend: backend).play(turns: 80) == 80)
        }
    #endif

    @Test(arguments: RunSetting.seeds(10))
    func aHistoryOfFewStepsAgreesWithPlainValues(_ seed: UInt64) throws {
        #expect(try RandomHistory(seed: seed, stepLimit: 3).play(turns: 150) == 150)
    }
}
