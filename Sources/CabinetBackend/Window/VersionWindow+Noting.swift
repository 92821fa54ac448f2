// What an engine says before it applies a commit, in any order, while `isKeeping`.
extension VersionWindow {
    /// `commit` is going to put or delete a row. `true`: a reader holds a commit that saw it as it
    /// is, and ``keep(_:of:in:replacedBy:)`` must follow, or ``note(row:in:commit:)``.
    package func noteChange(
        of row: RowID, in number: TableNumber, by commit: CommitNumber
    ) -> Bool {
        isKeeping && table(number).noteChange(of: row, commit, newestHeld: newest)
    }

    /// Likewise for a key.
    package func noteChange(
        of key: UnsafeRawBufferPointer, in number: TableNumber, by commit: CommitNumber
    ) -> Bool {
        isKeeping && table(number).noteChange(of: key, commit, newestHeld: newest)
    }

    /// Keeps the value of a row without checksum; `nil`: it was not there.
    package func keep(
        _ before: UnsafeRawBufferPointer?, of row: RowID, in number: TableNumber,
        replacedBy commit: CommitNumber
    ) {
        let version = placed(before)
        keeping(in: number, valueSize: before?.count ?? 0) {
            $0.keep(version, of: row, commit, $1)
        }
    }

    /// Keeps the value of a key without checksum; `nil`: it was not there.
    package func keep(
        _ before: UnsafeRawBufferPointer?, of key: UnsafeRawBufferPointer,
        in number: TableNumber, replacedBy commit: CommitNumber
    ) {
        let version = placed(before)
        keeping(in: number, valueSize: before?.count ?? 0) {
            $0.keep(version, of: key, commit, $1)
        }
    }

    /// `commit` is going to put or delete a row; `before` is its value without checksum.
    package func note(
        row: RowID, in number: TableNumber, before: UnsafeRawBufferPointer?, commit: CommitNumber
    ) {
        guard noteChange(of: row, in: number, by: commit) else { return }
        keep(before, of: row, in: number, replacedBy: commit)
    }

    /// `commit` is going to put or delete a key; `before` is its value without checksum.
    package func note(
        key: UnsafeRawBufferPointer, in number: TableNumber, before: UnsafeRawBufferPointer?,
        commit: CommitNumber
    ) {
        guard noteChange(of: key, in: number, by: commit) else { return }
        keep(before, of: key, in: number, replacedBy: commit)
    }

    /// `commit` is going to put or delete a row that no reader sees, so that its value is not
    /// needed.
    package func note(row: RowID, in number: TableNumber, commit: CommitNumber) {
        keeping(in: number) { table, _ in table.noteNumber(of: row, commit) }
    }

    /// `commit` is going to put or delete a key whose value the engine keeps otherwise.
    package func note(
        key: UnsafeRawBufferPointer, in number: TableNumber, commit: CommitNumber
    ) {
        keeping(in: number) { table, _ in table.noteNumber(of: key, commit) }
    }

    /// `commit` has changed these keys, whose values the engine keeps otherwise.
    package func note(
        keys: any ChangedKeys, in number: TableNumber, commit: CommitNumber
    ) {
        keeping(in: number) { table, _ in
            table.changedKeys.append((commit, keys))
            return 0
        }
    }

    /// `commit` is going to change a table that has `count` rows or keys before it.
    package func note(count: Int, of number: TableNumber, commit: CommitNumber) {
        let table = table(number)
        if table.counts.isNeeded(newest) { table.counts.note(count, commit) }
    }

    /// `commit` is going to put higher rows than `row`, the highest one so far, to a table.
    package func note(highestRow row: RowID, of number: TableNumber, commit: CommitNumber) {
        keeping(in: number) { table, _ in
            let count = table.highestRows.count
            table.highestRows.note(row, commit)
            return (table.highestRows.count - count) * 16
        }
    }

    /// `commit` is going to define, change or drop a table that has been `definition`.
    package func note(
        definition: TableDefinition?, of number: TableNumber, commit: CommitNumber
    ) {
        table(number).definitions.note(definition, commit)
    }

    /// Whether a reader needs all that the table holds now, where an engine keeps it so.
    package func needsContent(of number: TableNumber) -> Bool {
        found(number)?.contents.isNeeded(newest) ?? true
    }

    /// Keeps what a table holds that `commit` is going to change or drop.
    package func note(content: AnyObject, of number: TableNumber, commit: CommitNumber) {
        table(number).contents.note(content, commit)
    }
}
