/// A walk over rows. It may be left at any time. Not `Sendable`: one call at a time, but each may
/// come from another thread.
public protocol RecordCursor: AnyObject {
    /// Replaces the content of `run` by the next rows, about 256 KiB of them. `false` at the end,
    /// with the run empty.
    func next(_ run: RecordRun) throws(BackendError) -> Bool

    /// As ``next(_:)``, for a thread that reads ahead for another one. It never waits for
    /// a writer: the other thread may be writing, and wait for this one.
    ///
    /// `nil`, with the run empty, where that cannot be: ``next(_:)`` then goes on from there. An
    /// engine whose reads never wait for a batch to end has nothing to add.
    func nextAhead(_ run: RecordRun) throws(BackendError) -> Bool?
}

extension RecordCursor {
    public func nextAhead(_ run: RecordRun) throws(BackendError) -> Bool? { try next(run) }
}

/// A walk over keys. It may be left at any time. Not `Sendable`.
public protocol EntryCursor: AnyObject {
    /// Replaces the content of `run` by the next entries: at most `limit` of them, and about 256
    /// KiB. `false` at the end, with the run empty. A limit below 1 counts as 1.
    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool

    /// Replaces the content of `run` by the rows that the next entries end with: at most `limit`
    /// entries, and no more than the run takes. `false` at the end, with the run empty; entries
    /// without a row add nothing. A limit below 1 counts as 1.
    ///
    /// For indexes, of whose entries only the rows are wanted. Default: reads the entries; an engine
    /// that finds the rows without making keys is quicker.
    func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool

    /// Goes on at `key`: with the first entry, in the walk's direction, that is not before it. That
    /// may lie behind or ahead, also after the walk has ended; what is outside the walk's range is
    /// not met. An entry that is met a second time is as it is then.
    /// - Throws: ``BackendError/unsupported(_:)`` for a named table, whose keys have no order.
    func seek(_ key: [UInt8]) throws(BackendError)
}

extension EntryCursor {
    /// The next entries, about 256 KiB of them. `false` at the end, with the run empty.
    public func next(_ run: EntryRun) throws(BackendError) -> Bool {
        try next(run, limit: .max)
    }

    public func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        let entries = EntryRun()
        guard try next(entries, limit: min(max(limit, 1), RowRun.fullCount)) else { return false }
        while let (key, value) = entries.next() { run.append(key, value) }
        return true
    }
}
