import CabinetBackend
import CabinetTestSupport
import CabinetTokyo
import Testing

struct BackendRuleTests {
    static let engines =
        [Durability.full, .process].map { durability in
            EngineUnderTest("Tokyo Cabinet, \(durability)", keepsData: true) {
                directory, access in
                try TokyoBackend(path: directory.path, durability: durability, access: access)
            }
        } + [
            // What memory has no room for goes to a file, here all of it.
            EngineUnderTest("Tokyo Cabinet, values in a file", keepsData: true) {
                directory, access in
                try TokyoBackend(
                    path: directory.path, durability: .process, access: access,
                    snapshots: SnapshotLimits(memory: 0))
            }
        ]

    @Test(arguments: engines, BackendRule.rules(for: engines[0]))
    func engineKeepsRule(_ engine: EngineUnderTest, _ rule: BackendRule) throws {
        try rule.check(engine)
    }
}
