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
    /// Memory that no other query uses until it is given back.
    func takeSeekMemory() -> SeekMemory {
        annex(SpareSeekMemory.self) { _ in SpareSeekMemory() }.spare.popLast() ?? SeekMemory()
    }

    /// Memory is not used any longer by the query that has taken it.
    func giveBack(_ memory: SeekMemory) {
        // The query may have stopped on its way.
        memory.records.removeAll()
        memory.entries.removeAll()
        memory.rows.removeAll(keepingCapacity: memory.rows.count < 1 << 16)
        annex(SpareSeekMemory.self) { _ in SpareSeekMemory() }.spare.append(memory)
    }

    /// Calls `body` with memory that no other query uses meanwhile.
    func withSeekMemory<Result>(_ body: (SeekMemory) throws -> Result) rethrows -> Result {
        let memory = takeSeekMemory()
        defer { giveBack(memory) }
        return try body(memory)
    }
}
