import CabinetBackend
import CabinetTestSupport
import CabinetTokyo
import Testing
import TrustSupport

struct BackendRuleTests {
    static let engine = EngineUnderTest("Tokyo Cabinet", keepsData: true) { directory, access in
        try TokyoBackend(path: directory.path, access: access)
    }

    /// Those that differ from it in one part: saves are not synced; what memory has no room for goes to a file,
    /// here all of it; what is written is sealed.
    static let variants =
        [
            EngineUnderTest("Tokyo Cabinet, process", keepsData: true) { directory, access in
                try TokyoBackend(path: directory.path, durability: .process, access: access)
            },
            EngineUnderTest("Tokyo Cabinet, values in a file", keepsData: true) {
                directory, access in
                try TokyoBackend(
                    path: directory.path, durability: .process, access: access,
                    snapshots: SnapshotLimits(memory: 0))
            },
        ] + sealed

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

    @Test(arguments: BackendRule.rules(for: engine))
    func engineKeepsRule(_ rule: BackendRule) throws { try rule.check(Self.engine) }

    @Test(arguments: variants, RunSetting.turns(of: BackendRule.rules(for: engine)))
    func itsVariantsKeepRule(_ variant: EngineUnderTest, _ rule: BackendRule) throws {
        try rule.check(variant)
    }
}
