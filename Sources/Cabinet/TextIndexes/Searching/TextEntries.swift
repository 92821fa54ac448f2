import CabinetBackend

/// The entries of a text index as of one commit.
final class TextEntries {
    let table: TableNumber
    let reader: any BackendReader
    private let memory: EntryMemory

    init(_ table: TableNumber, _ reader: any BackendReader, _ memory: EntryMemory = EntryMemory()) {
        self.table = table
        self.reader = reader
        self.memory = memory
    }

    /// Calls `body` with each entry of a range, until it returns `false`.
    /// - Parameter first: how many entries are read at first; the more later.
    func forEach(
        _ range: KeyRange, first: Int = 16,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try walk { run in
            let cursor = try reader.entries(in: table, range: range, descending: false)
            var limit = first
            while try cursor.next(run, limit: limit) {
                limit = min(limit * 4, 4096)
                while let (key, value) = run.next() {
                    guard try body(key, value) else { return }
                }
            }
        }
    }

    /// The key of the last entry of a range; `nil` if there is none.
    func lastKey(of range: KeyRange) throws -> [UInt8]? {
        try walk { run in
            let cursor = try reader.entries(in: table, range: range, descending: true)
            guard try cursor.next(run, limit: 1), let (key, _) = run.next() else { return nil }
            return Array(key)
        }
    }

    /// Lends a run.
    func walk<Result>(_ body: (EntryRun) throws -> Result) rethrows -> Result {
        let run = memory.runs.popLast() ?? EntryRun()
        defer { memory.runs.append(run) }
        return try body(run)
    }
}

/// Memory for the entries of one index, kept from one search to the next: a run takes 260 KiB, and a page that is
/// new takes longer than what most searches copy there.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class EntryMemory {
    /// Those that no walk uses: one, or two if one walk has begun another.
    var runs: [EntryRun] = []
}
