/// A part of a store's commits within which no number is given to two commits. `Sendable`: a value.
///
/// A new line begins whenever commits could otherwise get numbers that others have had: in a copy of
/// a store, after a power cut that may have taken commits back, and after a salvage. It ends where
/// the next one begins.
public struct CommitLine: Hashable, Sendable {
    /// Drawn at random when the line begins, never 0: no two lines of any stores have one number.
    public let number: UInt64
    /// The first commit of the line.
    public let first: CommitNumber

    /// The line of that number from that commit on.
    public init(number: UInt64, first: CommitNumber) {
        self.number = number
        self.first = first
    }
}

/// How far a reader of the feed has come, to be kept for later runs and other machines: the number
/// of a commit, and the line of that commit. `Sendable`: a value.
///
/// The number alone would not do: a copy of a store, or a store after a power cut, may give it to
/// another commit. Where that has happened, ``Backend/changes(after:)-(ChangePosition)`` throws.
public struct ChangePosition: Hashable, Sendable, Codable {
    /// The number of the commit's ``CommitLine``; 0 with the commit 0, and with a commit that is
    /// older than the store's first line.
    public let line: UInt64
    /// The last commit that was read.
    public let commit: CommitNumber

    /// The position behind a commit of a line.
    public init(line: UInt64, commit: CommitNumber) {
        self.line = line
        self.commit = commit
    }

    /// Before the first commit of any store.
    public static let start = ChangePosition(line: 0, commit: 0)
}

extension Backend {
    public func lines() throws(BackendError) -> [CommitLine] {
        throw .unsupported("the lines of commits")
    }

    /// The position of the last commit that reads see; ``ChangePosition/start`` before the first.
    /// Needs ``BackendFeatures/lines``.
    ///
    /// A commit that is not synced may be gone after a power cut. Its position is refused then, like
    /// any other that does not hold, and never taken for that of another commit.
    public func position() throws(BackendError) -> ChangePosition {
        try position(of: lastCommit())
    }

    /// The position of the commit of that number, which there must be. Needs
    /// ``BackendFeatures/lines``.
    public func position(of number: CommitNumber) throws(BackendError) -> ChangePosition {
        let line = try lines().last { $0.first <= number }
        return ChangePosition(line: line?.number ?? 0, commit: number)
    }

    /// The commits after a position that was kept, perhaps in an earlier run. Needs
    /// ``BackendFeatures/lines``.
    ///
    /// The position holds if the store has its line, and its commit is not after the end of that
    /// line; ``ChangePosition/start`` always holds. So a copy of a store goes on from positions of
    /// the original up to the commit at which it was copied.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if the position does not hold, and as
    ///   ``changes(after:)-(CommitNumber)`` does.
    public func changes(after position: ChangePosition) throws(BackendError) -> any ChangeCursor {
        // Asked for first: the lines then reach at least as far.
        let last = try lastCommit()
        guard position.holds(in: try lines(), upTo: last) else {
            // There is no commit of that number, so this throws what is kept.
            _ = try changes(after: CommitNumber.max)
            throw .changesGone(oldest: try lastCommit())
        }
        return try changes(after: position.commit)
    }

}

extension ChangePosition {
    /// Whether a store with these lines, and that last commit, has made the commit of the position.
    package func holds(in lines: [CommitLine], upTo last: CommitNumber) -> Bool {
        if self == .start { return true }
        guard let index = lines.firstIndex(where: { $0.number == line }) else { return false }
        let next = lines.index(after: index)
        return commit <= (next < lines.count ? lines[next].first.previous : last)
    }
}
