import Cabinet
import CabinetTestSupport

/// Says which rules an engine breaks, by name.
func brokenRules(
    _ name: String, open: @escaping @Sendable (TemporaryDirectory, Access) throws -> any Backend
) -> [String] {
    let engine = EngineUnderTest(name, keepsData: true, features: [.snapshots, .bases], open: open)
    return BackendRule.rules(for: engine).compactMap { rule in
        do {
            try rule.check(engine)
            return nil
        } catch {
            return "\(rule): \(error)"
        }
    }
}
