import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// What a container begins is of the last commit, though another program has made it.
struct ContainersBesideOthersTests {
    final class Visit: StoredObject {
        @Field var number = 0
    }

    /// Those whose stores several backends of one process may write.
    private static var engines: [HistoryEngine] {
        HistoryEngine.present.filter { $0 != .memory && $0 != .files }
    }

    @Test(arguments: engines)
    func whatBeginsIsOfTheLastCommitOfAll(_ engine: HistoryEngine) async throws {
        let directory = ScratchDirectory()
        let place = engine.place(in: directory)
        var random = SeededRandom(seed: RunSetting.seed)
        let first = StoreContainer(backend: try engine.open(place), classes: [Visit.self])
        defer { try? first.close() }
        let store = try first.makeStore()
        var count = 0
        func save() throws {
            let visit = Visit()
            visit.number = count
            store.insert(visit)
            try store.save()
            count += 1
        }
        try save()
        let second = StoreContainer(backend: try engine.open(place), classes: [Visit.self])
        defer { try? second.close() }
        for _ in 0..<20 {
            try save()
            switch random.below(4) {
            case 0: #expect(try await second.read { try $0.count(of: Visit.self) } == count)
            case 1: #expect(try second.makeStore().count(of: Visit.self) == count)
            case 2: #expect(try second.position() == first.position())
            default:
                let found = try await second.write { store in
                    store.insert(Visit())
                    return try store.count(of: Visit.self)
                }
                count += 1
                #expect(found == count)
                try store.refresh()
            }
        }
    }
}
