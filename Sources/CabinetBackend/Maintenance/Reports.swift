/// What ``StoreMaintenance/check(reportingTo:)`` has found. `Sendable`: a value.
public struct EngineReport: Hashable, Sendable {
    /// What is wrong; empty for a sound store.
    public var findings: [StoreFinding] = []
    /// The last save that was checked; later ones were made meanwhile.
    public var lastSave: CommitNumber = 0
    /// How many saves the log behind the snapshot holds.
    public var saves: UInt64 = 0
    /// How many records of views were compared with the log.
    public var records: UInt64 = 0

    /// A report without findings.
    public init() {}

    /// Whether nothing is wrong.
    public var isSound: Bool { findings.isEmpty }
}

/// How much room a store takes, and for what. `Sendable`: a value.
public struct StorageReport: Hashable, Sendable {
    /// One table and its view.
    public struct Table: Hashable, Sendable {
        /// The table's number, kind and name.
        public var definition: TableDefinition
        /// Rows or keys.
        public var count: Int
        /// The size of the view file in bytes.
        public var fileBytes: UInt64
        /// The bytes of it that hold records; of an ordered table's, pages in use.
        public var liveBytes: UInt64
        /// The bytes of it that were used and are free now. The rest is its head.
        public var deadBytes: UInt64

        /// A table's part of a report.
        public init(
            definition: TableDefinition, count: Int, fileBytes: UInt64, liveBytes: UInt64,
            deadBytes: UInt64
        ) {
            self.definition = definition
            self.count = count
            self.fileBytes = fileBytes
            self.liveBytes = liveBytes
            self.deadBytes = deadBytes
        }
    }

    /// In the order of their numbers, the store's own two among them.
    public var tables: [Table] = []
    /// The bytes of all log segments, without the room that is reserved for saves to come.
    public var logBytes: UInt64 = 0
    /// The bytes of further segments, which a snapshot has replaced and readers of the feed still need: see
    /// ``KeptChanges``.
    public var keptLogBytes: UInt64 = 0
    /// How many log segments there are.
    public var segments = 0
    /// The bytes of the snapshot; 0 if there is none.
    public var snapshotBytes: UInt64 = 0
    /// The last save in the snapshot; 0 if there is none.
    public var snapshotSave: CommitNumber = 0
    /// The last save.
    public var lastSave: CommitNumber = 0

    /// A report of nothing.
    public init() {}
}
