import CabinetBackend

/// Finds the records of many rows of a table, one after the other in the order in which they are
/// asked for: many with one call of the engine.
struct RecordLookup {
    private let reader: any BackendReader
    private let table: TableNumber
    private let rows: [RowID]
    private let run: RecordRun
    /// How many rows were asked for, and how many the engine has looked up.
    private var asked = 0
    private var looked = 0
    private var head: (row: RowID, value: UnsafeRawBufferPointer)?

    /// - Parameter run: what records are read into, which nothing else uses meanwhile.
    init(_ rows: [RowID], in table: TableNumber, of reader: any BackendReader, by run: RecordRun) {
        (self.reader, self.table, self.rows, self.run) = (reader, table, rows, run)
    }

    /// The record of the next row, until the next call; `nil`: there is none.
    mutating func next() throws(BackendError) -> UnsafeRawBufferPointer? {
        if asked == looked {
            looked += try reader.values(of: rows[looked...], in: table, into: run)
            head = run.next()
        }
        let row = rows[asked]
        asked += 1
        guard let found = head, found.row == row else { return nil }
        head = run.next()
        return found.value
    }
}
