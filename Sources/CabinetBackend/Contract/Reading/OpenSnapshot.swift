/// A frozen reader that is held, as ``Backend/openSnapshots`` lists it. `Sendable`: a value.
public struct OpenSnapshot: Hashable, Sendable {
    /// The commit that it is frozen at.
    public let commit: CommitNumber
    /// When it was taken, in microseconds since 1970-01-01 00:00 UTC by this machine's clock.
    public let opened: UInt64
    /// How many bytes of replaced values the engine has kept since then, for this reader and for
    /// others.
    public let bytes: Int
    /// Where it was taken, as ``Backend/snapshot(label:)`` was told.
    public let label: String

    /// For engines: a reader that is held.
    public init(commit: CommitNumber, opened: UInt64, bytes: Int, label: String) {
        self.commit = commit
        self.opened = opened
        self.bytes = bytes
        self.label = label
    }
}

/// How much an engine keeps of what commits replace, for frozen readers. `Sendable`: a value.
public struct SnapshotLimits: Hashable, Sendable {
    /// How many bytes of memory replaced values may take before further ones go to a temporary
    /// file without a name; 64 MiB. What the engine must remember of each row stays in memory.
    public var memory: Int
    /// How many bytes all of that may take, the file included; 1 GiB. Beyond it the oldest commit
    /// that is held is given up: its readers throw ``BackendError/snapshotTooOld(_:)``.
    public var total: Int

    /// The given limits, or 64 MiB and 1 GiB.
    public init(memory: Int = 64 << 20, total: Int = 1 << 30) {
        self.memory = memory
        self.total = total
    }
}
