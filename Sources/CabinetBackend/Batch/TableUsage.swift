extension WriteBatch {
    /// The table of all operations but the notes and what it gets, if they are of one table and
    /// none was handed over; or `nil`, which may also mean that it is not known.
    package var usageOfOneTable: (table: TableNumber, usage: TableUsage)? {
        guard stagedChunks == 0,
            operationCount == UInt64(latest.puts &+ latest.deletes) &+ noteCount
        else { return nil }
        return (table, latest)
    }

    /// What `table` gets. Takes the same time for a batch of any number of tables.
    public func usage(of table: TableNumber) -> TableUsage {
        countLatest()
        let index = table.index
        let place = index < usageIndices.count ? Int(usageIndices[index]) : 0
        guard place > 0 else {
            var none = TableUsage()
            none.table = table
            return none
        }
        return countedUsage[place - 1]
    }

    /// Adds what the latest table gets to the list.
    func countLatest() {
        guard latest.puts | latest.deletes != 0 else { return }
        let index = table.index
        if index >= usageIndices.count { makeRoom(for: index) }
        let place = Int(usageIndices[index])
        if place > 0 {
            countedUsage[place - 1].add(latest)
        } else {
            latest.table = table
            countedUsage.append(latest)
            usageIndices[index] = Int32(truncatingIfNeeded: countedUsage.count)
        }
        latest = TableUsage()
    }

    /// At once for a few tables, since most stores have no more, and small saves would spend their
    /// time on growing lists.
    private func makeRoom(for index: Int) {
        if usageIndices.isEmpty {
            usageIndices = [Int32](repeating: 0, count: max(index + 1, 16))
            countedUsage.reserveCapacity(4)
        } else {
            usageIndices.append(
                contentsOf: repeatElement(0, count: index + 1 - usageIndices.count))
        }
    }

    func forgetUsage() {
        for use in countedUsage { usageIndices[use.table.index] = 0 }
        countedUsage.removeAll(keepingCapacity: true)
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
        mutating func add(_ more: TableUsage) {
            puts &+= more.puts
            deletes &+= more.deletes
            bytes &+= more.bytes
            highestRow = max(highestRow, more.highestRow)
        }
    }
}
