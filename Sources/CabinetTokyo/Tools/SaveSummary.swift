import CabinetBackend

/// One save as the log describes it. `Sendable`: a value.
package struct SaveSummary: Hashable, Sendable {
    /// What a save did to one table.
    package struct Change: Hashable, Sendable {
        package var table: TableNumber
        package var puts = 0
        package var deletes = 0
    }

    package var number: CommitNumber
    /// Microseconds since 1970-01-01 00:00 UTC.
    package var time: UInt64
    /// The bytes of its frames.
    package var bytes: UInt64
    /// Whether it was saved at ``Durability/full``.
    package var isFull: Bool
    /// The author, as the caller numbers its authors; 0: none was given.
    package var author: UInt32
    /// In the order in which they were made.
    package var notes: [LoggedNote]
    /// In the order of their numbers.
    package var changes: [Change]
}

extension TokyoBackend {
    /// Calls `body` with every save that no snapshot has replaced, oldest first. Saves go on
    /// beside it; compaction does not. What `body` throws ends the walk.
    package func forEachSave(
        _ body: (SaveSummary) throws(BackendError) -> Void
    ) throws(BackendError) {
        try checkProcess()
        try upkeep.compacting.withLock { () throws(BackendError) in
            guard let frozen = try freeze() else { return }
            for link in frozen.links {
                let reader = CommitReader(
                    try SegmentReader(
                        files: files, path: link.path, number: link.number, store: frozen.store,
                        limit: link.limit))
                while let item = try reader.next() {
                    guard case .commit(let commit) = item else { continue }
                    let end = reader.offset
                    try body(try Self.summary(of: commit, end: end))
                }
                guard reader.isAtLimit else {
                    throw .corrupt(path: link.path, offset: reader.offset)
                }
            }
        }
    }

    private static func summary(
        of commit: CommitReader.Commit, end: UInt64
    ) throws(BackendError) -> SaveSummary {
        var changes: [TableNumber: SaveSummary.Change] = [:]
        try commit.forEachOperation { operation throws(BackendError) in
            guard let entry = TableEntry(operation) else { return }
            var change = changes[entry.table] ?? SaveSummary.Change(table: entry.table)
            if entry.stored == nil { change.deletes += 1 } else { change.puts += 1 }
            changes[entry.table] = change
        }
        return SaveSummary(
            number: commit.number, time: commit.header.time, bytes: end - commit.start,
            isFull: commit.header.flags.contains(.full), author: commit.author,
            notes: try commit.notes(),
            changes: changes.values.inOrder { $0.table < $1.table })
    }
}
