import CabinetBackend

/// Makes a new snapshot out of an old one and the log behind it, in bounded memory: an external
/// merge sort in which the last word on every row and key wins.
///
/// It reads what it is given and nothing else, above all no view files.
package enum Compactor {
    /// Sorted runs grow to this many bytes: 64 MiB.
    package static let usualRunLimit = 64 << 20
    /// Runs merged at once.
    package static let usualFanIn = 64

    /// What the names of unfinished files end with.
    private static let suffix = ".new"

    /// What tests make small.
    package struct Limits: Sendable {
        /// Bytes that are sorted at once.
        package var run: Int
        /// Runs that are merged at once: two or more.
        package var fanIn: Int
        /// Bytes of entries in a block.
        package var block: Int

        package init(
            run: Int = usualRunLimit, fanIn: Int = usualFanIn, block: Int = 256 << 10
        ) {
            self.run = run
            self.fanIn = fanIn
            self.block = block
        }
    }

    /// How far a compaction has come.
    package struct Progress: Hashable, Sendable {
        /// Operations read from the segments.
        package var read: UInt64 = 0
        /// Rows and keys written into the snapshot.
        package var written: UInt64 = 0
    }

    /// Writes the snapshot `into`, as of the commit `commitNumber`, and returns when it is durable
    /// under that name. When cancelled and after a throw, what had that name before still has it;
    /// only if the directory could not be synced it may be the new snapshot, which is whole then.
    ///
    /// Commits that the old snapshot holds already are passed over, and so are those behind
    /// `commitNumber`.
    ///
    /// - Parameters:
    ///   - directory: where sorted runs are kept while it goes on, and where `into` lies.
    ///   - snapshot: the path of the old snapshot, of the same store; `nil` if there is none.
    ///   - segments: oldest first.
    ///   - progress: called about once for 4,000 operations, as is `isCancelled`.
    /// - Returns: `nil` if it was cancelled.
    /// - Throws: ``BackendError/noTable(_:)`` too, for an operation on a table that was never
    ///   defined, was dropped, or is of another kind: a log that no engine can have written.
    package static func compact(
        files: any FileLayer, directory: String, snapshot: String?,
        segments: [any OperationSource], into path: String, commitNumber: CommitNumber,
        storeID: UInt64,
        limits: Limits = Limits(), progress: (Progress) -> Void = { _ in },
        isCancelled: () -> Bool = { false }
    ) throws(BackendError) -> Progress? {
        let old: SnapshotReader? =
            if let snapshot {
                try SnapshotReader(files: files, path: snapshot, expectedStoreID: storeID)
            } else { nil }
        let aside = path + suffix
        let compaction = try Compaction(
            files: files, directory: directory, suffix: suffix, old: old,
            commitNumber: commitNumber,
            limits: limits)
        defer { compaction.removeFiles(and: aside) }
        guard try compaction.gather(segments, progress, isCancelled),
            try compaction.write(aside, storeID: storeID, progress, isCancelled)
        else { return nil }
        try files.rename(aside, to: path)
        try files.syncDirectory(directory)
        return compaction.progress
    }

    /// Whether a file of that name in the log's directory is what a compaction left behind
    /// that came to no end. Only to be asked when none is going on.
    package static func isLeftover(_ name: String) -> Bool { name.hasSuffix(suffix) }
}
