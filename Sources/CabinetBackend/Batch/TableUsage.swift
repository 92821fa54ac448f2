extension WriteBatch {
    /// The table of all operations but the notes and what it gets, if they are of one table and none
    /// was handed over; or `nil`, which may also mean that it is not known.
    package var usageOfOneTable: (table: TableNumber, usage: TableUsage)? {
        guard stagedChunks == 0,
            operationCount == UInt64(latest.puts &+ latest.deletes) &+ noteCount
        else { return nil }
        return (table, latest)
    }

    /// What one table gets from a batch.
    public struct TableUsage: Hashable, Sendable {
        /// How many rows or keys the batch puts.
        public var puts = 0
        /// How many rows or keys the batch deletes.
        public var deletes = 0
        /// The bytes of all keys and values put, checksums included.
        public var bytes = 0
        /// The highest row put; 0 for none.
        public var highestRow: RowID = 0

        /// The usage of a batch that does not touch the table.
        public init() {}

        @inline(__always)
        mutating func add(_ more: TableUsage) {
            puts &+= more.puts
            deletes &+= more.deletes
            bytes &+= more.bytes
            highestRow = max(highestRow, more.highestRow)
        }
    }
}
