import CabinetBackend
import CabinetTestSupport

extension RuleBreakingBackend {
    /// Fronts with that fault, over shelves that are found by location. Without a fault, sound
    /// ones.
    static func engine(_ fault: Fault?) -> EngineUnderTest {
        let shelves = Guarded<[String: Shelf]>([:])
        let keeper = Keeper(shelves: shelves)
        return EngineUnderTest(fault?.rawValue ?? "no fault", keepsData: true) { place, access in
            let shelf = keeper.shelf(for: place.path, isNew: fault == .forgets)
            let backend = RuleBreakingBackend(fault, shelf, access)
            if fault == .startsWithTable {
                let batch = backend.makeBatch()
                try batch.define(TableDefinition(number: 40_000, kind: .record, name: "Extra"))
                _ = try backend.commit(batch)
            }
            return backend
        }
    }

    private final class Keeper: Sendable {
        private let shelves: Guarded<[String: Shelf]>
        init(shelves: Guarded<[String: Shelf]>) { self.shelves = shelves }

        func shelf(for path: String, isNew: Bool) -> Shelf {
            shelves.withLock { shelves in
                if !isNew, let shelf = shelves[path] { return shelf }
                let shelf = Shelf()
                shelves[path] = shelf
                return shelf
            }
        }
    }
}
