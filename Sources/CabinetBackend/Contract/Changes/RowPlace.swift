/// A row of a table. `Sendable`: a value.
package struct RowPlace: Hashable, Sendable {
    package let table: TableNumber
    package let row: RowID

    package init(table: TableNumber, row: RowID) { (self.table, self.row) = (table, row) }
}

extension RowPlace {
    /// The CRC of a value that stands there, as a put has it behind the value.
    package func checksum(of value: UnsafeRawBufferPointer) -> UInt32 {
        var sums = RowSums()
        return withUnsafeBytes(of: 0) { none in
            guard let start = value.baseAddress ?? none.baseAddress else { return 0 }
            return sums.sum(of: row, start, value.count).sum
        }
    }
}
