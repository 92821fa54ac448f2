import CabinetBackend

/// What a snapshot says of one table.
package struct SnapshotTable: Hashable, Sendable {
    /// Its definition, its last commit and its highest row.
    package var state: TableState
    /// How many rows or keys there are.
    package var count: UInt64 = 0
    /// The bytes of the table's entries before they were deflated: what is alive of it.
    package var bytes: UInt64 = 0
    /// Where its first block begins, in bytes from the file's front; 0 if there is none.
    package var firstBlock: UInt64 = 0

    package var number: TableNumber { state.definition.number }

    /// The group of all its entries.
    var group: UInt32 {
        TableEntry.group(number, hasKey: state.definition.kind != .record)
    }
}
