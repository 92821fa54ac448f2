import CabinetBackend

/// Finds the records of many rows of a table, one after the other in the order in which they are
/// asked for: many with one call of the engine.
final class RecordLookup {
    private let reader: any BackendReader
    private let table: TableNumber
    private let rows: [RowID]
    private let memory: Memory
    /// How many rows were asked for, and how many the engine has looked up.
    @exclusivity(unchecked) private var asked = 0
    @exclusivity(unchecked) private var looked = 0
    @exclusivity(unchecked) private var head: (row: RowID, value: UnsafeRawBufferPointer)?

    /// What records are read into, by one look-up after the other.
    final class Memory {
        fileprivate lazy var run = RecordRun()
        fileprivate let buffer = DataBuffer()
    }

    /// So few rows are looked up one by one: a run takes much memory.
    private static let few = 16

    /// - Parameter memory: what nothing else uses meanwhile.
    init(
        _ rows: [RowID], in table: TableNumber, of reader: any BackendReader, by memory: Memory
    ) {
        (self.reader, self.table, self.rows, self.memory) = (reader, table, rows, memory)
    }

    /// The record of the next row, until the next call; `nil`: there is none.
    func next() throws(BackendError) -> UnsafeRawBufferPointer? {
        let row = rows[asked]
        asked += 1
        if rows.count < Self.few {
            let isThere = try reader.value(of: row, in: table, into: memory.buffer)
            return isThere ? UnsafeRawBufferPointer(memory.buffer.memory) : nil
        }
        if asked > looked {
            looked += try reader.values(of: rows[looked...], in: table, into: memory.run)
            head = memory.run.next()
        }
        guard let found = head, found.row == row else { return nil }
        head = memory.run.next()
        return found.value
    }
}
