import CabinetBackend
import CabinetTestSupport

extension RuleBreakingBackend {
    /// Fronts with that fault, over shelves that are found by location. Without a fault, sound
    /// ones.
    static func engine(_ fault: Fault?) -> EngineUnderTest {
        let shelves = Guarded<[String: Shelf]>([:])
        let keeper = Keeper(shelves: shelves)
        let loseAnswer: EngineUnderTest.LosingAnswers = { backend, isMade in
            (backend as? RuleBreakingBackend)?.shelf.state.withLock { $0.losesAnswer = isMade }
        }
        var engine = EngineUnderTest(
            fault?.rawValue ?? "no fault", keepsData: true, hasOtherWriters: true,
            losingAnswers: loseAnswer
        ) { place, access in
            let shelf = keeper.shelf(for: place.path, isNew: fault == .forgets)
            let backend = RuleBreakingBackend(fault, shelf, access)
            if fault == .startsWithTable {
                let batch = backend.makeBatch()
                try batch.define(TableDefinition(number: 40_000, kind: .record, name: "Extra"))
                _ = try backend.commit(batch)
            }
            return backend
        }
        // It would wait for good.
        if fault == .waitsForBatches { engine.patience = 1 }
        return engine
    }

    /// Commits a batch or not, and gives the error that says neither.
    func loseAnswer(
        to batch: WriteBatch, isMade: Bool
    ) throws(BackendError) -> BackendError {
        var outcome = CommitOutcome.notCommitted
        if isMade { outcome = .committed(try apply(Collector.changes(of: batch), of: batch)) }
        return shelf.state.withLock { state in
            let token = UInt64(state.outcomes.count) + 1
            state.outcomes[token] = outcome
            return .outcomeUnknown(token: token)
        }
    }

    func outcome(of token: UInt64) throws(BackendError) -> CommitOutcome {
        try check()
        let found = shelf.state.withLock { $0.outcomes[token] }
        guard let found else { throw .outcomeUnknown(token: token) }
        return fault == .forgetsOutcomes ? .notCommitted : found
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
