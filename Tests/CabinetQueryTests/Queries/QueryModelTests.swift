import Testing
import TrustSupport

struct QueryModelTests {
    /// 24 stores of 100 queries each, all answers of which are compared with plain Swift.
    @Test(arguments: 0..<8)
    func everyAnswerIsThatOfPlainSwift(_ part: Int) throws {
        for store in 0..<max(3 / RunSetting.share, 1) {
            let seed = RunSetting.seed &+ UInt64(part * 3 + store)
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
}
