/// What an engine takes at most. `Sendable`: a value.
public struct BackendLimits: Hashable, Sendable {
    /// The longest key of an ordered table, in bytes: 1,024, so that a key fits a database's index
    /// and a page holds several. A commit that puts a longer one throws
    /// ``BackendError/tooLarge(limit:)``; longer ones that a store has already can be read and
    /// deleted.
    public var longestOrderedKey: Int
    /// The most bytes of a record, and of a key with its value: 1 GiB.
    public var largestRecord: Int

    /// The given limits, or those of the engines of this package.
    public init(
        longestOrderedKey: Int = 1024, largestRecord: Int = DataBuffer.recordLimit
    ) {
        self.longestOrderedKey = longestOrderedKey
        self.largestRecord = largestRecord
    }
}

/// The parts of the contract that not every engine keeps. `Sendable`: a value.
public struct BackendFeatures: OptionSet, Hashable, Sendable {
    /// A bit for each part.
    public let rawValue: UInt32
    /// The parts whose bits are set.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// ``Backend/snapshot(label:)``: readers frozen at a commit.
    public static let snapshots = BackendFeatures(rawValue: 1)
    /// ``WriteBatch/basis`` and ``WriteBatch/Requirement/unchanged``.
    public static let bases = BackendFeatures(rawValue: 2)
    /// ``Backend/changes(after:)-(CommitNumber)``: what each commit changed.
    public static let changes = BackendFeatures(rawValue: 4)
    /// ``Backend/lines()``: positions in the feed that can be kept for later runs.
    public static let lines = BackendFeatures(rawValue: 8)
    /// ``Backend/keepChanges(after:for:limit:)``: changes that the feed keeps under a name.
    public static let keptChanges = BackendFeatures(rawValue: 16)
    /// ``Backend/claimWork(_:)`` refuses a second claim.
    public static let workClaims = BackendFeatures(rawValue: 32)
    /// Counts of ranges, ranks, and keys at a rank cost about what looking up a key does, in every reader.
    /// Without it they may walk: what asks gives ``BackendReader/count(of:in:upTo:)`` a limit.
    public static let ranks = BackendFeatures(rawValue: 64)
    /// All of them.
    public static let all: BackendFeatures = [
        .snapshots, .bases, .changes, .lines, .keptChanges, .workClaims, .ranks,
    ]
}
