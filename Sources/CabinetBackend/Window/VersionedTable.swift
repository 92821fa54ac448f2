/// What a window remembers of one table. Not `Sendable`: the engine's lock guards it.
final class VersionedTable {
    /// What was before a commit, oldest first.
    typealias History<Value> = [(commit: CommitNumber, before: Value)]

    private(set) var rows: RecordTable?
    private(set) var keys: OrderedTable?
    private(set) var counts: History<Int> = []
    private(set) var definitions: History<TableDefinition?> = []
    /// What the table held when a commit dropped it.
    private(set) var dropped: (commit: CommitNumber, content: AnyObject)?

    var isEmpty: Bool {
        rows?.count ?? 0 == 0 && keys?.count ?? 0 == 0 && counts.isEmpty && definitions.isEmpty
    }

    /// How many rows and keys there is something of.
    var size: Int { (rows?.count ?? 0) + (keys?.count ?? 0) }

    func note(
        row: RowID, before: UnsafeRawBufferPointer?, commit: CommitNumber,
        newestHeld: CommitNumber, _ scratch: DataBuffer
    ) {
        let rows = rows ?? RecordTable()
        self.rows = rows
        guard
            Versions.write(
                to: scratch, after: rows.value(of: row), before: before, commit: commit,
                newestHeld: newestHeld)
        else { return }
        scratch.withUnsafeBytes { rows.put($0, at: row) }
    }

    func note(
        key: UnsafeRawBufferPointer, before: UnsafeRawBufferPointer?, commit: CommitNumber,
        newestHeld: CommitNumber, _ scratch: DataBuffer
    ) {
        let keys = keys ?? OrderedTable()
        self.keys = keys
        guard
            Versions.write(
                to: scratch, after: keys.value(for: key), before: before, commit: commit,
                newestHeld: newestHeld)
        else { return }
        scratch.withUnsafeBytes { keys.put($0, for: key) }
    }

    func note(count: Int, commit: CommitNumber, newestHeld: CommitNumber) {
        Self.note(count, in: &counts, commit, newestHeld)
    }

    func note(definition: TableDefinition?, commit: CommitNumber, newestHeld: CommitNumber) {
        Self.note(definition, in: &definitions, commit, newestHeld)
    }

    func keep(_ content: AnyObject, droppedBy commit: CommitNumber) {
        dropped = (commit, content)
    }

    private static func note<Value>(
        _ before: Value, in history: inout History<Value>, _ commit: CommitNumber,
        _ newestHeld: CommitNumber
    ) {
        if let last = history.last, newestHeld < last.commit { return }
        history.append((commit, before))
    }

    /// What was at the commit `number`; `nil` if that is what is now.
    static func value<Value>(in history: History<Value>, at number: CommitNumber) -> Value? {
        history.first { $0.commit > number }?.before
    }

    /// Gives up what no reader needs once none holds a commit before `oldest`.
    func trim(to oldest: CommitNumber, _ scratch: DataBuffer) {
        counts.removeAll { $0.commit <= oldest }
        definitions.removeAll { $0.commit <= oldest }
        if let dropped, dropped.commit <= oldest { self.dropped = nil }
        if let rows { trim(rows, oldest, scratch) }
        if let keys { trim(keys, oldest, scratch) }
    }

    private func trim(_ rows: RecordTable, _ oldest: CommitNumber, _ scratch: DataBuffer) {
        var next = 0
        while let (row, bytes) = rows.first(from: next) {
            next = row.index + 1
            if Versions(bytes).writeTrimmed(to: scratch, oldest: oldest) {
                if scratch.count < bytes.count {
                    scratch.withUnsafeBytes { rows.put($0, at: row) }
                }
            } else {
                rows.delete(row)
            }
        }
    }

    private func trim(_ keys: OrderedTable, _ oldest: CommitNumber, _ scratch: DataBuffer) {
        let trimmed = OrderedTable()
        var walk = EntryWalk(keys, from: nil)
        while let (key, bytes) = walk.entry {
            if Versions(bytes).writeTrimmed(to: scratch, oldest: oldest) {
                scratch.withUnsafeBytes { trimmed.put($0, for: key) }
            }
            walk.advance()
        }
        self.keys = trimmed
    }
}
