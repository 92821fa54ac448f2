import CabinetBackend

/// The records of rows in ascending order, of which the engine reads many with one call.
///
/// Not `Sendable`: it belongs to one search.
struct RowRecords {
    private let store: Store
    private let table: TableNumber
    private let run: RecordRun
    /// The rows that were not read yet.
    private var left: ArraySlice<RowID>
    private var head: (row: RowID, value: UnsafeRawBufferPointer)?

    /// - Parameters:
    ///   - rows: in ascending order.
    ///   - run: memory that nothing else uses meanwhile.
    init(_ store: Store, _ storedClass: StoredClass, _ rows: [RowID], _ run: RecordRun) {
        (self.store, table, self.run, left) = (store, storedClass.table, run, rows[...])
        run.removeAll()
    }

    /// The record of a row, until the next call; `nil` if there is none, or it was not among the rows. Rows
    /// are asked for in ascending order.
    mutating func record(of row: RowID) throws -> UnsafeRawBufferPointer? {
        while head.map({ $0.row < row }) ?? !left.isEmpty {
            head = run.next()
            if head != nil || left.isEmpty { continue }
            let looked = try store.reading { reader throws(BackendError) in
                try reader.values(of: left, in: table, into: run)
            }
            left = left.dropFirst(looked)
            head = run.next()
        }
        return head?.row == row ? head?.value : nil
    }
}
