/// Which objects the steps are about that a table has, so that a save looks at those alone of steps that come
/// or go. A value.
struct KeptObjects {
    /// Of each step, by its number.
    private var keys: [UInt64: [UInt64]] = [:]
    /// How many steps are about an object.
    private var counts: [UInt64: Int] = [:]

    /// What the commit under way has added and removed.
    private(set) var added: [UInt64] = []
    private(set) var removed: [(step: UInt64, keys: [UInt64])] = []

    /// Whether a step is about an object.
    func contains(_ key: UInt64) -> Bool { counts[key] != nil }

    /// The objects of steps that the commit under way adds or removes.
    var changed: Set<UInt64> {
        var changed: Set<UInt64> = []
        for step in added { changed.formUnion(keys[step] ?? []) }
        for (_, keys) in removed { changed.formUnion(keys) }
        return changed
    }

    mutating func add(_ step: UndoSteps.Step) {
        var keys: Set<UInt64> = []
        step.log.forEachReversed { keys.insert($0.pointee.key) }
        add(step.number, Array(keys))
        added.append(step.number)
    }

    private mutating func add(_ step: UInt64, _ keys: [UInt64]) {
        self.keys[step] = keys
        for key in keys { counts[key, default: 0] += 1 }
    }

    mutating func remove(_ step: UInt64) {
        let keys = keys.removeValue(forKey: step) ?? []
        for key in keys {
            guard let count = counts[key] else { continue }
            counts[key] = count > 1 ? count - 1 : nil
        }
        removed.append((step, keys))
    }

    mutating func didCommit() { (added, removed) = ([], []) }

    mutating func didNotCommit() {
        let (added, removed) = (added, removed)
        for step in added { remove(step) }
        for (step, keys) in removed { add(step, keys) }
        didCommit()
    }
}
