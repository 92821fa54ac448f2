extension VersionWindow {
    // MARK: What was

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

    /// How many rows or keys a table had at a commit that a reader holds; it has `now`.
    package func count(of number: TableNumber, at commit: CommitNumber, now: Int) -> Int {
        found(number)?.counts.value(at: commit) ?? now
    }

    /// The highest row that a table ever had at a commit; it is `now`.
    package func highestRow(
        of number: TableNumber, at commit: CommitNumber, now: RowID
    ) -> RowID { found(number)?.highestRows.value(at: commit) ?? now }

    /// Whether a table was defined at a commit; `now`: whether it is.
    package func isDefined(
        _ number: TableNumber, at commit: CommitNumber, now: Bool
    ) -> Bool {
        guard let before = found(number)?.definitions.value(at: commit) else { return now }
        return before != nil
    }

    /// What a table was at a commit; it is `now`.
    package func definition(
        of number: TableNumber, at commit: CommitNumber, now: TableDefinition?
    ) -> TableDefinition? {
        found(number)?.definitions.value(at: commit) ?? now
    }

    /// What a table held at a commit that a reader holds, if it was noted since.
    package func content(of number: TableNumber, at commit: CommitNumber) -> AnyObject? {
        found(number)?.contents.value(at: commit)
    }

    /// Replaces the content of `buffer` by what a row or key was, which is not `.current`. `false`:
    /// it was not there, and the buffer is empty.
    package func copy(_ version: Version, into buffer: DataBuffer) throws(BackendError) -> Bool {
        switch version {
        case .current, .absent:
            buffer.removeAll()
            return false
        case .value(let value):
            buffer.removeAll()
            buffer.writeRawBytes(value)
        case .spilled(let value): try read(value, into: buffer)
        }
        return true
    }

    /// Replaces the content of `buffer` by a value that lies in the window's file.
    package func read(
        _ value: SpilledValue, into buffer: DataBuffer
    ) throws(BackendError) {
        guard let spill else { preconditionFailure("The file goes after its last value.") }
        try spill.read(value, into: buffer)
    }

    // MARK: What has changed

    /// Whether it is known what has changed since `commit`, of which the last one is `last`.
    package func knowsChanges(since commit: CommitNumber, last: CommitNumber) -> Bool {
        commit >= last || oldest.map { $0 <= commit } ?? false
    }

    /// Whether a commit after `commit` has put or deleted a row, as far as it was noted.
    package func hasChanged(
        row: RowID, in number: TableNumber, since commit: CommitNumber
    ) -> Bool {
        guard let table = found(number) else { return false }
        if let content = table.content(changedAfter: commit) as? RecordTable,
            content.value(of: row) != nil
        {
            return true
        }
        return table.rows?.value(of: row).map { Versions($0).lastChange > commit } ?? false
    }

    /// Whether a commit after `commit` has put or deleted a key, as far as it was noted.
    package func hasChanged(
        key: UnsafeRawBufferPointer, in number: TableNumber, since commit: CommitNumber
    ) throws(BackendError) -> Bool {
        guard let table = found(number) else { return false }
        if let content = table.content(changedAfter: commit) as? OrderedTable,
            content.value(for: key) != nil
        {
            return true
        }
        if let old = table.keys?.value(for: key), Versions(old).lastChange > commit { return true }
        for change in table.changedKeys.reversed() where change.commit > commit {
            if try change.keys.contains(key) { return true }
        }
        return false
    }
}

extension VersionedTable {
    /// What the table held before the last commit that changed all of it, if that is after `commit`.
    fileprivate func content(changedAfter commit: CommitNumber) -> AnyObject? {
        guard let last = contents.lastChange, last > commit else { return nil }
        return contents.last
    }
}
