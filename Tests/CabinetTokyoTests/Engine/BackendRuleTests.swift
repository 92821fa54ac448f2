import CabinetBackend
import CabinetTestSupport
import CabinetTokyo
import Testing

struct BackendRuleTests {
    static let engines = [Durability.full, .process].map { durability in
        EngineUnderTest("Tokyo Cabinet, \(durability)", keepsData: true) {
            directory, access in
            try TokyoBackend(path: directory.path, durability: durability, access: access)
        }
    }

    @Test(arguments: engines, BackendRule.rules(for: engines[0]))
    func engineKeepsRule(_ engine: EngineUnderTest, _ rule: BackendRule) throws {
        try rule.check(engine)
    }
}
