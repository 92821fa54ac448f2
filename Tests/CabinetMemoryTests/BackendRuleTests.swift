import CabinetMemory
import CabinetTestSupport
import Testing
import TrustSupport

/// A rule that cannot fail is no rule: each one must find the engine that breaks it.
struct BackendRuleTests {
    private static let sound = RuleBreakingBackend.engine(nil)

    /// The memory engine, whose rules are all looked at elsewhere, without a fault.
    @Test(arguments: RunSetting.turns(of: BackendRule.all))
    func soundEngineKeepsRule(_ rule: BackendRule) throws { try rule.check(Self.sound) }

    @Test(arguments: Fault.allCases)
    func faultIsFound(_ fault: Fault) {
        #expect(!fault.breaks.isEmpty)
        for name in fault.breaks {
            guard let rule = BackendRule.all.first(where: { $0.name == name }) else {
                Issue.record("there is no rule \"\(name)\"")
                continue
            }
            #expect(throws: BrokenRule.self, "\(name)") {
                try rule.check(RuleBreakingBackend.engine(fault))
            }
        }
    }

    @Test func everyRuleHasFoundAFault() {
        let proven = Set(Fault.allCases.flatMap(\.breaks))
        #expect(BackendRule.all.map(\.name).filter { !proven.contains($0) } == [])
    }

    @Test func aBrokenRuleSaysWhoBrokeWhat() throws {
        let rule = try #require(BackendRule.all.first { $0.name == "a deleted row is gone" })
        let broken = #expect(throws: BrokenRule.self) {
            try rule.check(RuleBreakingBackend.engine(.losesDeletes))
        }
        #expect(broken?.engine == "losesDeletes")
        #expect(broken?.rule == rule.name)
        #expect(broken?.reason.hasPrefix("row 5: nothing expected") == true)
    }

    @Test func rulesAboutMissingPartsSkipEnginesAndAreNamed() {
        let engine = EngineUnderTest("plain", keepsData: true, features: .bases) { _, access in
            MemoryBackend(access: access)
        }
        let skipped = BackendRule.skipped(for: engine)
        #expect(
            !skipped.isEmpty
                && skipped.allSatisfy {
                    $0.needsOtherWriters || !$0.features.isSubset(of: .bases)
                })
        #expect(
            BackendRule.rules(for: engine).count + skipped.count == BackendRule.all.count)
    }

    @Test func rulesThatNeedReopeningSkipForgetfulEngines() {
        let skipped = BackendRule.all.filter { $0.needsReopening || $0.needsOtherWriters }
        #expect(skipped.contains { $0.needsReopening })
        #expect(skipped.contains { $0.needsOtherWriters })
        #expect(
            BackendRule.rules(for: MemoryBackendTests.engine).count
                == BackendRule.all.count - skipped.count)
    }
}
