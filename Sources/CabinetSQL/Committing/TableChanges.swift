import CabinetBackend

/// What one commit does to the rows or keys of one table. Not `Sendable`: the committing thread has it.
final class TableChanges {
    private let insert: any SQLStatement
    private let update: any SQLStatement
    private let delete: any SQLStatement
    private let keep: any SQLStatement
    private let mark: any SQLStatement
    private let table: TableNumber
    private let commit: Int64
    /// What other programs see of the rows.
    private let shown: ShownTable?
    /// How many rows or keys there are more than before.
    private(set) var added = 0
    /// Whether the last put was of something new: the next one mostly is, too.
    private var expectsNew = true

    init(
        _ kind: TableKind, _ table: TableNumber, at commit: Int64, _ session: Session
    ) throws(BackendError) {
        self.table = table
        self.commit = commit
        shown = session.shown[table]
        let columns = shown?.columns ?? []
        insert = try session.statement(.insert(kind, table, columns: columns))
        update = try session.statement(.update(kind, table, columns: columns))
        delete = try session.statement(.delete(kind, table))
        keep = try session.statement(.keep(kind, table))
        mark = try session.statement(.mark(kind == .record ? .record : .ordered))
    }

    /// Puts a value with its CRC, and keeps what was there for readers of earlier commits.
    func put(_ stored: UnsafeRawBufferPointer, at place: Place) throws(BackendError) {
        let columns = columns(of: stored, at: place)
        if expectsNew, try change(insert, place, stored, columns) {
            added += 1
            return
        }
        expectsNew = false
        _ = try change(keep, place)
        if try change(update, place, stored, columns) { return }
        expectsNew = true
        if try change(insert, place, stored, columns) { added += 1 }
    }

    private func columns(of stored: UnsafeRawBufferPointer, at place: Place) -> [PlainValue] {
        guard let shown, case .row(let row) = place else { return [] }
        return shown.values(of: stored, at: row)
    }

    /// Deletes what is there, and keeps it for readers of earlier commits; or says that nothing was there.
    func delete(_ place: Place) throws(BackendError) {
        let isKept = try change(keep, place)
        place.bind(to: delete, at: 1)
        added -= try delete.run()
        guard !isKept else { return }
        mark.bind(Int64(table.rawValue), at: 1)
        place.bind(to: mark, at: 2)
        mark.bind(commit, at: 3)
        try mark.run()
    }

    /// Whether the statement has changed something.
    private func change(
        _ statement: any SQLStatement, _ place: Place, _ stored: UnsafeRawBufferPointer? = nil,
        _ columns: [PlainValue] = []
    ) throws(BackendError) -> Bool {
        place.bind(to: statement, at: 1)
        statement.bind(commit, at: 2)
        if let stored { statement.bind(stored, at: 3) }
        if !columns.isEmpty { statement.bind(columns, from: 4) }
        return try statement.run() > 0
    }
}
