import CabinetBackend

/// Adds to a commit how far a trigger has come with it: so its work happens once.
final class TriggerMark: CommitParticipant {
    private let trigger: AfterTrigger
    private let former: ChangePosition
    private let next: ChangePosition
    private let triggers: Set<String>

    /// The catalog has another former position: the work was done elsewhere, or the name was let go of.
    struct HasMoved: Error {}

    init(
        _ trigger: AfterTrigger, from former: ChangePosition, to next: ChangePosition,
        triggers: Set<String>
    ) {
        (self.trigger, self.former, self.next, self.triggers) = (trigger, former, next, triggers)
    }

    func join(_ commit: Commit) throws {
        // As of the basis: what comes later conflicts.
        let known = try commit.store.reader.keptChanges(for: trigger.key)?.position
        guard known == former else { throw HasMoved() }
        try commit.batch.keepChanges(
            KeptChanges(name: trigger.key, position: next, limit: trigger.limit))
        if triggers.isEmpty { return }
        let names = Array(triggers.inOrder().joined(separator: "\n").utf8)
        try names.withUnsafeBytes {
            try commit.batch.note(NoteTag.triggers.rawValue, $0)
        }
    }

    func follows(_ storedClass: StoredClass) -> Bool { false }
    func begin(_ commit: Commit) {}
    func note(_ event: RecordEvent, in commit: Commit) {}
    func didEnd(committed number: CommitNumber?) {}
    func forgetWhatIsSaved() {}
}

extension Store {
    /// Calls `body`, in which the store cannot be saved or closed.
    func working<Result>(_ body: () throws -> Result) rethrows -> Result {
        busyCalls += 1
        defer { busyCalls -= 1 }
        return try body()
    }
}
