extension WriteBatch {
    /// What `table` gets. Takes the same time for a batch of any number of tables.
    public func usage(of table: TableNumber) -> TableUsage {
        countLatest()
        return counted[table]
    }

    func countLatest() {
        guard latest.puts | latest.deletes != 0 else { return }
        latest.table = table
        counted.add(latest)
        latest = TableUsage()
    }

    /// What one table gets from a batch.
    public struct TableUsage: Hashable, Sendable {
        /// The table.
        public internal(set) var table: TableNumber = 0
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
        package mutating func add(_ more: TableUsage) {
            puts &+= more.puts
            deletes &+= more.deletes
            bytes &+= more.bytes
            highestRow = max(highestRow, more.highestRow)
        }
    }
    /// What each table gets from a batch: the batch itself, looked at. Making it takes no memory.
    public struct TableUsages: RandomAccessCollection {
        let batch: WriteBatch

        public var startIndex: Int { 0 }
        public var endIndex: Int { batch.counted.count }
        public subscript(index: Int) -> TableUsage { batch.counted[index] }
    }
}
