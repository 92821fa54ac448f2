import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Ordered tables against plain Swift over random histories; `make ordered` makes more steps.
struct OrderedModelTests {
    @Test(arguments: 0..<4)
    func anOrderedTableIsWhatRandomHistoriesMadeOfIt(_ part: UInt64) throws {
        let model = try OrderedModel(seed: RunSetting.seed * 100 + part)
        // Each step throws at the first difference.
        for _ in 0..<RunSetting.repetitions(200) { try model.step() }
        #expect(throws: Never.self) { try model.compareAll() }
        #expect(model.steps == RunSetting.repetitions(200))
    }
}
