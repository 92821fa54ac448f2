import CabinetBackend

/// A walk over the entries of ``HistoryTables`` in the order of the commits; a commit's own comes first, then
/// tables, rows and names. Not `Sendable`.
final class HistoryWalk {
    private let reader: any BackendReader
    private let start: CommitNumber
    private var tables: ArraySlice<(table: HistoryTable, entries: TableNumber, rows: TableNumber)>
    private var cursor: (any EntryCursor)?
    private let run = EntryRun()

    /// - Parameter start: the entries of the commits after this one.
    init(
        _ reader: any BackendReader,
        _ tables: [(table: HistoryTable, entries: TableNumber, rows: TableNumber)],
        after start: CommitNumber
    ) {
        (self.reader, self.start) = (reader, start)
        self.tables = tables.drop { $0.table.last <= start }
    }

    /// The next entry, whose value lives until the next call; `nil` at the end.
    func next() throws(BackendError) -> (
        commit: CommitNumber, content: HistoryKey.Content, value: UnsafeRawBufferPointer
    )? {
        while true {
            while let (key, value) = run.next() {
                guard let (commit, content) = HistoryKey.read(key) else { continue }
                return (commit, content, value)
            }
            if try cursor?.next(run) ?? false { continue }
            guard let (table, entries, _) = tables.popFirst() else {
                cursor = nil
                return nil
            }
            let range = KeyRange(
                from: HistoryKey.commit(start.next), to: HistoryKey.commit(table.last.next))
            cursor = try reader.entries(in: entries, range: range, descending: false)
        }
    }
}
