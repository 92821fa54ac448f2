/// What became of a commit whose answer was lost. `Sendable`: a value.
public enum CommitOutcome: Hashable, Sendable {
    /// It was made, and has that number.
    case committed(CommitNumber)
    /// It was not made, and never will be.
    case notCommitted
}
