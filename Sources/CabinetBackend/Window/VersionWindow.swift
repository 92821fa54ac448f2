/// What rows, keys and tables were before each commit since the oldest one that a reader holds.
///
/// While no reader holds a commit, nothing is kept and ``isKeeping`` is false, which an engine asks
/// once a commit. Otherwise it notes what a commit replaces before it applies the change; of a row
/// that changes many times, a value is kept for each reader at most: 28 bytes and the value, and 20
/// bytes for each row that has changed at all. The same notes say what has changed since a commit.
///
/// Not `Sendable`: the engine's lock guards it.
package final class VersionWindow {
    /// The commits that readers hold, ascending, and how many readers hold each.
    private var held: [(number: CommitNumber, readers: Int)] = []
    private var tables: [TableNumber: VersionedTable] = [:]
    private let scratch = DataBuffer()
    /// How many notes were made since the last removal of those that no reader needs, and how many
    /// were left then.
    private var notes = 0
    private var sizeLeft = 0

    package init() { scratch.sizeLimit = .max }

    /// Whether a reader holds a commit: then changes are to be noted.
    package var isKeeping: Bool { !held.isEmpty }

    /// The oldest commit that a reader holds.
    package var oldest: CommitNumber? { held.first?.number }

    private var newest: CommitNumber { held.last?.number ?? 0 }

    // MARK: Holding

    /// A reader begins to hold the last commit, `number`.
    package func hold(_ number: CommitNumber) {
        if let last = held.indices.last, held[last].number == number {
            held[last].readers += 1
        } else {
            held.append((number, 1))
        }
    }

    /// A reader does not hold the commit `number` any more.
    package func release(_ number: CommitNumber) {
        guard let index = held.firstIndex(where: { $0.number == number }) else { return }
        held[index].readers -= 1
        guard held[index].readers == 0 else { return }
        held.remove(at: index)
        guard index == 0 else { return }
        guard let oldest else { return removeAll() }
        // Each note pays for looking at two that are left, so that many short reads beside a long
        // one cost no more than the commits in between.
        guard notes > sizeLeft else { return }
        trim(to: oldest)
    }

    /// Forgets everything: no reader is left, or none will ask again.
    package func removeAll() {
        held = []
        tables = [:]
        (notes, sizeLeft) = (0, 0)
    }

    private func trim(to oldest: CommitNumber) {
        for (number, table) in tables {
            table.trim(to: oldest, scratch)
            if table.isEmpty { tables[number] = nil }
        }
        notes = 0
        sizeLeft = tables.values.reduce(0) { $0 + $1.size }
    }

    // MARK: Noting

    private func table(_ number: TableNumber) -> VersionedTable {
        if let table = tables[number] { return table }
        let table = VersionedTable()
        tables[number] = table
        return table
    }

    /// `commit` is going to put or delete a row; `before` is its value without checksum.
    package func note(
        row: RowID, in number: TableNumber, before: UnsafeRawBufferPointer?,
        commit: CommitNumber
    ) {
        notes += 1
        table(number).note(
            row: row, before: before, commit: commit, newestHeld: newest, scratch)
    }

    /// `commit` is going to put or delete a key; `before` is its value without checksum.
    package func note(
        key: UnsafeRawBufferPointer, in number: TableNumber, before: UnsafeRawBufferPointer?,
        commit: CommitNumber
    ) {
        notes += 1
        table(number).note(
            key: key, before: before, commit: commit, newestHeld: newest, scratch)
    }

    /// `commit` is going to change a table that has `count` rows or keys before it.
    package func note(count: Int, of number: TableNumber, commit: CommitNumber) {
        table(number).note(count: count, commit: commit, newestHeld: newest)
    }

    /// `commit` is going to define, change or drop a table that has been `definition`.
    package func note(
        definition: TableDefinition?, of number: TableNumber, commit: CommitNumber
    ) {
        table(number).note(definition: definition, commit: commit, newestHeld: newest)
    }

    /// Keeps what a table held that `commit` drops, for readers of commits before.
    package func keep(_ content: AnyObject, of number: TableNumber, droppedBy commit: CommitNumber)
    {
        table(number).keep(content, droppedBy: commit)
    }

    // MARK: Asking

    /// What a row was at a commit that a reader holds.
    package func version(
        of row: RowID, in number: TableNumber, at commit: CommitNumber
    ) -> Version {
        rows(of: number)?.value(of: row).map { Versions($0).version(at: commit) } ?? .current
    }

    /// What a key was at a commit that a reader holds.
    package func version(
        ofKey key: UnsafeRawBufferPointer, in number: TableNumber, at commit: CommitNumber
    ) -> Version {
        keys(of: number)?.value(for: key).map { Versions($0).version(at: commit) } ?? .current
    }

    /// Whether it is known what has changed since `commit`, of which the last one is `last`.
    package func knowsChanges(since commit: CommitNumber, last: CommitNumber) -> Bool {
        commit >= last || oldest.map { $0 <= commit } ?? false
    }

    /// Whether a commit after `commit` has put or deleted a row, where that is known.
    package func hasChanged(
        row: RowID, in number: TableNumber, since commit: CommitNumber
    ) -> Bool {
        if let content = contentDropped(from: number, after: commit) as? RecordTable,
            content.value(of: row) != nil
        {
            return true
        }
        return rows(of: number)?.value(of: row).map { Versions($0).lastChange > commit } ?? false
    }

    /// Whether a commit after `commit` has put or deleted a key, where that is known.
    package func hasChanged(
        key: UnsafeRawBufferPointer, in number: TableNumber, since commit: CommitNumber
    ) -> Bool {
        if let content = contentDropped(from: number, after: commit) as? OrderedTable,
            content.value(for: key) != nil
        {
            return true
        }
        return keys(of: number)?.value(for: key).map { Versions($0).lastChange > commit } ?? false
    }

    private func contentDropped(from number: TableNumber, after commit: CommitNumber) -> AnyObject?
    {
        guard let dropped = tables[number]?.dropped, dropped.commit > commit else { return nil }
        return dropped.content
    }

    /// How many rows or keys a table had at a commit that a reader holds; it has `now`.
    package func count(of number: TableNumber, at commit: CommitNumber, now: Int) -> Int {
        tables[number].flatMap { VersionedTable.value(in: $0.counts, at: commit) } ?? now
    }

    /// What a table was at a commit that a reader holds; it is `now`.
    package func definition(
        of number: TableNumber, at commit: CommitNumber, now: TableDefinition?
    ) -> TableDefinition? {
        guard let history = tables[number]?.definitions,
            let before = VersionedTable.value(in: history, at: commit)
        else { return now }
        return before
    }

    /// The tables whose definition may have been another one before.
    package var redefinedTables: [TableNumber] {
        tables.lazy.filter { !$0.value.definitions.isEmpty }.map(\.key)
    }

    /// What a table held that was dropped after the commit, which a reader holds.
    package func content(of number: TableNumber, at commit: CommitNumber) -> AnyObject? {
        guard let dropped = tables[number]?.dropped, dropped.commit > commit else { return nil }
        return dropped.content
    }

    func rows(of number: TableNumber) -> RecordTable? { tables[number]?.rows }
    func keys(of number: TableNumber) -> OrderedTable? { tables[number]?.keys }
}
