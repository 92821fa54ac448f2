import Testing
import TrustSupport

struct QueryModelTests {
    /// 24 stores of 100 queries each, all answers of which are compared with plain Swift.
    @Test(arguments: RunSetting.seeds(24))
    func everyAnswerIsThatOfPlainSwift(_ seed: UInt64) throws {
        let model = try QueryModel(seed: seed)
        do {
            for _ in 0..<20 { try model.step(queries: 5) }
            // Else the model asks nothing that an index is for.
            #expect(!model.prefersIndexes || model.usedIndexes > 10)
            #expect(!model.prefersIndexes || model.usedIndexesAlone > 3)
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
    }
}
