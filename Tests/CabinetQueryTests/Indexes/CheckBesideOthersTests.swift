import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Testing
import TrustSupport

@testable import Cabinet

/// Checks in a store while others register and unregister indexes, and save.
struct CheckBesideOthersTests {
    private final class Tin: StoredObject {
        @Field var number = 0
        @Field var label = ""
        override class var storageName: String { "Checked_Tin" }
    }

    private static func index(_ name: String) -> Index {
        name == "number"
            ? .ordered(\Tin.number, named: name) : .ordered(\Tin.label, named: name)
    }

    /// Once, of an index that was registered again since the store's basis, the table of before was read.
    @Test(arguments: [true, false])
    func indexesThatOthersReplaceAreNotWrong(inMemory: Bool) async throws {
        let directory = try TemporaryDirectory()
        for seed in 1...UInt64(RunSetting.repetitions(60)) {
            var random = SeededRandom(seed: RunSetting.seed &* 53 &+ seed)
            let container =
                try inMemory
                ? StoreContainer(inMemory: [Tin.self])
                : StoreContainer(
                    directory: directory.url.appending(path: "\(seed)"), classes: [Tin.self])
            let stores = [try container.makeStore(), try container.makeStore()]
            for step in 0..<30 {
                let store = stores[random.below(2)]
                let name = random.below(2) == 0 ? "number" : "label"
                switch random.below(6) {
                case 0: try store.refresh()
                case 1:
                    try? store.indexes.unregister(named: name, of: Tin.self)
                case 2, 3:
                    try store.indexes.register(Self.index(name))
                    if random.below(3) > 0 { try store.indexes.build() }
                default:
                    let tin = Tin()
                    (tin.number, tin.label) = (random.below(9), "\(random.below(9))")
                    store.insert(tin)
                    try store.save()
                }
                for store in stores where random.below(3) == 0 {
                    let findings = try await store.check().findings
                    #expect(findings.isEmpty, "seed \(seed), step \(step)")
                }
            }
            try container.close()
        }
    }
}
