import CabinetBackend

extension Store {
    /// The triggers after saves, once they were called for all commits up to the last one, which this gives, too: waits
    /// for that, 5 seconds at most. None where one fails or takes longer.
    func settledTriggers() throws -> (triggers: [KeptChanges], last: CommitNumber) {
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
        var keys: Set<String> = []
        for storedClass in classes {
            for trigger in storedClass.type.triggers {
                if case .after(let after) = trigger.content { keys.insert(after.key) }
            }
        }
        return (try backend.keptChanges().filter { keys.contains($0.name) }, last)
    }
}
