import CabinetBackend

/// The triggers after saves of a store's classes. `Sendable`: any thread may wait until they were called.
struct SettledTriggers: Sendable {
    private let backend: any Backend
    private let hub: CommitHub
    private let keys: Set<String>

    init(of store: Store) {
        (backend, hub) = (store.backend, store.hub)
        var keys: Set<String> = []
        for storedClass in store.classes {
            for trigger in storedClass.type.triggers {
                if case .after(let after) = trigger.content { keys.insert(after.key) }
            }
        }
        self.keys = keys
    }

    /// What the feed keeps for them, once they were called for all commits up to the last one, which this gives, too:
    /// waits for that, 5 seconds at most. Nothing where one fails or takes longer.
    func settled() throws(BackendError) -> (triggers: [KeptChanges], last: CommitNumber) {
        let end = ContinuousClock.now + .seconds(5)
        var last = try backend.lastCommit()
        guard let worker = hub.knownWorker(FeedWorker.self) else { return ([], last) }
        while true {
            guard worker.settle(upTo: last, until: end) else { return ([], last) }
            // What triggers save is called for, too.
            let newest = try backend.lastCommit()
            if newest == last { break }
            last = newest
        }
        return (try backend.keptChanges().filter { keys.contains($0.name) }, last)
    }
}
