/// What something was before the commits that changed it, oldest first.
struct PastValues<Value> {
    private var entries: [(commit: CommitNumber, before: Value)] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The last commit that changed it; `nil`: none is known.
    var lastChange: CommitNumber? { entries.last?.commit }
    var last: Value? { entries.last?.before }

    /// Adds what was before `commit`, unless something is noted for it already.
    mutating func note(_ before: Value, _ commit: CommitNumber) {
        if let last = entries.last, last.commit >= commit { return }
        entries.append((commit, before))
    }

    /// Whether a reader of `newestHeld`, the highest commit held, needs what is now.
    func isNeeded(_ newestHeld: CommitNumber) -> Bool {
        entries.last.map { newestHeld >= $0.commit } ?? true
    }

    /// What was at the commit `number`; `nil` if that is what is now.
    func value(at number: CommitNumber) -> Value? {
        let place = entries.partitioningIndex { $0.commit > number }
        return place < entries.count ? entries[place].before : nil
    }

    mutating func trim(to oldest: CommitNumber) {
        guard let first = entries.first, first.commit <= oldest else { return }
        entries.removeAll { $0.commit <= oldest }
    }

    /// Gives up what none of the commits `held`, which ascend, has seen.
    mutating func trim(held: [CommitNumber]) {
        var before: CommitNumber = 0
        entries.removeAll { entry in
            defer { before = entry.commit }
            return !held.contains(from: before, before: entry.commit)
        }
    }
}
