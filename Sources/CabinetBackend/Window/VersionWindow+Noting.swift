// What an engine says before it applies a commit, in any order, while `isKeeping`.
extension VersionWindow {
    /// `commit` is going to put or delete a row.
    ///
    /// - Parameter value: its value, without checksum; `nil`: it is not there. Called only if a
    ///   reader holds a commit that saw it as it is. What it throws is thrown, and nothing is noted.
    package func note(
        row: RowID, in number: TableNumber, commit: CommitNumber,
        value: () throws(BackendError) -> UnsafeRawBufferPointer?
    ) throws(BackendError) {
        guard keeps else { return }
        let table = table(number)
        table.lastRowChange = commit
        let old = table.rows?.value(of: row)
        if let old, Versions(old).note(commit, newestHeld: newestHeld) { return }
        let before = try value()
        count(
            table.keep(placed(before), of: row, after: old, commit, scratch),
            valueSize: before?.count ?? 0)
    }

    /// `commit` is going to put or delete a key. Parameters are as for a row.
    package func note(
        key: UnsafeRawBufferPointer, in number: TableNumber, commit: CommitNumber,
        value: () throws(BackendError) -> UnsafeRawBufferPointer?
    ) throws(BackendError) {
        guard keeps else { return }
        let table = table(number)
        let old = table.keys?.value(for: key)
        if let old, Versions(old).note(commit, newestHeld: newestHeld) { return }
        let before = try value()
        count(
            table.keep(placed(before), of: key, after: old, commit, scratch),
            valueSize: before?.count ?? 0)
    }

    /// `commit` is going to put or delete a row that no reader sees, so that its value is not
    /// needed.
    package func note(row: RowID, in number: TableNumber, commit: CommitNumber) {
        guard keeps else { return }
        let table = table(number)
        table.lastRowChange = commit
        count(table.noteNumber(of: row, commit))
    }

    /// `commit` is going to put or delete a key whose value the engine keeps otherwise.
    package func note(
        key: UnsafeRawBufferPointer, in number: TableNumber, commit: CommitNumber
    ) {
        if keeps { count(table(number).noteNumber(of: key, commit)) }
    }

    /// `commit` has changed these keys, whose values the engine keeps otherwise.
    package func note(
        keys: any ChangedKeys, in number: TableNumber, commit: CommitNumber
    ) {
        if keeps { table(number).changedKeys.append((commit, keys)) }
    }

    /// Whether a reader needs how many rows or keys the table has now.
    package func needsCount(of number: TableNumber) -> Bool {
        found(number)?.counts.isNeeded(newestHeld) ?? true
    }

    /// `commit` is going to change a table that has `count` rows or keys before it.
    package func note(count: Int, of number: TableNumber, commit: CommitNumber) {
        let table = table(number)
        if table.counts.isNeeded(newestHeld) { table.counts.note(count, commit) }
    }

    /// `commit` is going to put higher rows than `row`, the highest one so far, to a table.
    package func note(highestRow row: RowID, of number: TableNumber, commit: CommitNumber) {
        guard keeps else { return }
        let table = table(number)
        let before = table.highestRows.count
        table.highestRows.note(row, commit)
        count((table.highestRows.count - before) * 16)
    }

    /// `commit` is going to define, change or drop a table that has been `definition`.
    package func note(
        definition: TableDefinition?, of number: TableNumber, commit: CommitNumber
    ) {
        table(number).definitions.note(definition, commit)
    }

    /// Whether a reader needs all that the table holds now, where an engine keeps it so.
    package func needsContent(of number: TableNumber) -> Bool {
        found(number)?.contents.isNeeded(newestHeld) ?? true
    }

    /// Keeps what a table holds that `commit` is going to change or drop.
    package func note(content: AnyObject, of number: TableNumber, commit: CommitNumber) {
        table(number).contents.note(content, commit)
    }
}
