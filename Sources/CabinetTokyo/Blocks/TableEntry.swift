import CabinetBackend

/// The last word on one row or key of one table: a value, or that it was deleted.
///
/// What sorting and merging work on. The pointers live as long as the memory that was read.
struct TableEntry {
    /// The table's number, doubled, and one more if the table has keys rather than rows: entries
    /// sort by this first, and a run of entries of one group can share a block.
    var group: UInt32
    /// Orders the entries of a group: the row, or the first eight bytes of the key with zeros
    /// behind a shorter one. Keys alike in it are compared as a whole.
    var prefix: UInt64
    /// Empty for rows.
    var key: UnsafeRawBufferPointer
    /// The value with its CRC behind it; `nil` says that the row or key was deleted.
    var stored: UnsafeRawBufferPointer?

    var table: TableNumber { TableNumber(UInt16(truncatingIfNeeded: group >> 1)) }
    var hasKey: Bool { group & 1 == 1 }
    var row: RowID { RowID(UInt32(truncatingIfNeeded: prefix)) }

    @inline(__always)
    init(table: TableNumber, row: RowID, stored: UnsafeRawBufferPointer?) {
        group = Self.group(table, hasKey: false)
        prefix = UInt64(row.rawValue)
        key = UnsafeRawBufferPointer(start: nil, count: 0)
        self.stored = stored
    }

    @inline(__always)
    init(table: TableNumber, key: UnsafeRawBufferPointer, stored: UnsafeRawBufferPointer?) {
        group = Self.group(table, hasKey: true)
        prefix = Self.prefix(of: key)
        self.key = key
        self.stored = stored
    }

    /// The entry that `operation` makes; `nil` if it is about a whole table or
    /// none.
    @inline(__always)
    init?(_ operation: Operation) {
        switch operation {
        case .putRow(let table, let row, let stored):
            self.init(table: table, row: row, stored: stored)
        case .deleteRow(let table, let row):
            self.init(table: table, row: row, stored: nil)
        case .putKey(let table, let key, let stored):
            self.init(table: table, key: key, stored: stored)
        case .deleteKey(let table, let key):
            self.init(table: table, key: key, stored: nil)
        case .define, .drop, .note, .unknown:
            return nil
        }
    }

    /// The operation that makes this entry.
    var operation: Operation {
        switch (hasKey, stored) {
        case (false, let stored?): .putRow(table: table, row: row, stored: stored)
        case (false, nil): .deleteRow(table: table, row: row)
        case (true, let stored?): .putKey(table: table, key: key, stored: stored)
        case (true, nil): .deleteKey(table: table, key: key)
        }
    }

    static func group(_ table: TableNumber, hasKey: Bool) -> UInt32 {
        UInt32(table.rawValue) << 1 | (hasKey ? 1 : 0)
    }

    // MARK: Order

    /// Below 0 if this entry comes first, 0 if both are about the same row or key.
    @inline(__always)
    func order(against other: TableEntry) -> Int {
        if group != other.group { return group < other.group ? -1 : 1 }
        if prefix != other.prefix { return prefix < other.prefix ? -1 : 1 }
        return hasKey ? Self.order(key, other.key) : 0
    }

    @inline(__always)
    static func order(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
        KeyOrder.order(one, other)
    }

    @inline(__always)
    static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 { KeyOrder.start(of: key) }
}
