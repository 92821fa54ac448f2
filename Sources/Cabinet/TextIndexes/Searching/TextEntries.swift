import CabinetBackend

/// The entries of a text index as of one commit.
final class TextEntries {
    let table: TableNumber
    let reader: any BackendReader
    /// Taken while a walk uses it.
    private var spare: EntryRun?

    init(_ table: TableNumber, _ reader: any BackendReader) {
        self.table = table
        self.reader = reader
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

    /// Lends a run, as one takes 260 KiB.
    func walk<Result>(_ body: (EntryRun) throws -> Result) rethrows -> Result {
        let run = spare ?? EntryRun()
        spare = nil
        defer { spare = run }
        return try body(run)
    }
}
