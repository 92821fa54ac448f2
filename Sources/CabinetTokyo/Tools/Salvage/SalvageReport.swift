import CabinetBackend

/// What ``TokyoBackend/salvage(from:into:key:progress:)`` has brought over, and what not. `Sendable`:
/// a value.
public struct SalvageReport: Hashable, Sendable {
    /// One table of the new store.
    public struct Table: Hashable, Sendable {
        /// The table's number, kind and name.
        public var definition: TableDefinition
        /// Rows or keys that are in it now.
        public var count: Int
        /// How many of them only the view had, or had newer.
        public var fromView: Int
    }

    /// The tables of the new store.
    public var tables: [Table] = []
    /// How many saves were read from the log.
    public var saves: UInt64 = 0
    /// What could not be read; empty if nothing was lost.
    public var lost: [StoreFinding] = []

    /// Whether nothing was lost.
    public var isComplete: Bool { lost.isEmpty }
}
