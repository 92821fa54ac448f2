import CabinetBackend

/// Memory that queries by indexes use again. Not `Sendable`: its store's.
final class SeekMemory {
    let entries = EntryRun()
    /// Rows as an index gives them.
    let found = RowRun()
    let records = RecordRun()
    let value = DataBuffer()
    /// The rows that an index names.
    var rows: [RowID] = []
}

/// The memory of a store's queries by indexes; those that run inside one another have their own.
private final class SpareSeekMemory {
    var spare: [SeekMemory] = []
}

extension Store {
    /// Calls `body` with memory that no other query uses meanwhile.
    func withSeekMemory<Result>(_ body: (SeekMemory) throws -> Result) rethrows -> Result {
        let pool = annex(SpareSeekMemory.self) { _ in SpareSeekMemory() }
        let memory = pool.spare.popLast() ?? SeekMemory()
        defer {
            memory.rows.removeAll(keepingCapacity: memory.rows.count < 1 << 16)
            pool.spare.append(memory)
        }
        return try body(memory)
    }
}
