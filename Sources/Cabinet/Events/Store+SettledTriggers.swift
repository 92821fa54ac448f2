import CabinetBackend

extension Store {
    /// The triggers after saves, once they were called for all commits up to the last one, which this gives, too: waits
    /// for that, 5 seconds at most. None where one fails or takes longer.
    func settledTriggers() throws -> (triggers: [KeptChanges], last: CommitNumber) {
        // Of a commit that comes meanwhile it is not known.
        var last = try backend.lastCommit()
        guard let worker = hub.knownWorker(FeedWorker.self) else { return ([], last) }
        repeat {
            last = try backend.lastCommit()
            guard worker.settle(5) else { return ([], last) }
        } while try backend.lastCommit() != last
        var keys: Set<String> = []
        for storedClass in classes {
            for trigger in storedClass.type.triggers {
                if case .after(let after) = trigger.content { keys.insert(after.key) }
            }
        }
        return (try backend.keptChanges().filter { keys.contains($0.name) }, last)
    }
}
