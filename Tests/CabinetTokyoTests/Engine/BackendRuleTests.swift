import CabinetBackend
import CabinetTestSupport
import CabinetTokyo
import Testing
import TrustSupport

struct BackendRuleTests {
    static let engines =
        [Durability.full, .process].map { durability in
            EngineUnderTest("Tokyo Cabinet, \(durability)", keepsData: true) {
                directory, access in
                try TokyoBackend(path: directory.path, durability: durability, access: access)
            }
        } + sealed

    /// What memory has no room for goes to a file, here all of it.
    private static let spilling = EngineUnderTest(
        "Tokyo Cabinet, values in a file", keepsData: true
    ) {
        directory, access in
        try TokyoBackend(
            path: directory.path, durability: .process, access: access,
            snapshots: SnapshotLimits(memory: 0))
    }

    /// A store that is sealed keeps the same rules.
    private static var sealed: [EngineUnderTest] {
        #if Encryption
            [
                EngineUnderTest("Tokyo Cabinet, sealed", keepsData: true) { directory, access in
                    try TokyoBackend(
                        path: directory.path, durability: .process, access: access,
                        snapshots: SnapshotLimits(memory: 0), key: .raw(Array(1...32)))
                }
            ]
        #else
            []
        #endif
    }

    @Test(arguments: engines, BackendRule.rules(for: engines[0]))
    func engineKeepsRule(_ engine: EngineUnderTest, _ rule: BackendRule) throws {
        try rule.check(engine)
    }

    @Test(arguments: RunSetting.turns(of: BackendRule.rules(for: engines[0])))
    func engineKeepsRuleInAFile(_ rule: BackendRule) throws {
        try rule.check(Self.spilling)
    }
}
