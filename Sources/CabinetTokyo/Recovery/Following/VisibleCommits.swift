import CabinetBackend

/// How far the last segment's commits are final while another process appends to it.
///
/// A frame that is not whole is not there yet. A whole frame at ``Durability/full`` may still be taken
/// back, by a successor that names an earlier end, until its sync has returned: it counts once
/// something that was written afterwards says so. At ``Durability/process`` a whole frame is a commit.
struct VisibleCommits {
    /// The last commit that is final.
    private(set) var last: CommitNumber
    /// Where its frames end, and whatever follows up to the next commit.
    private(set) var end: UInt64

    /// Reads all frames from where `reader` stands.
    ///
    /// - Parameter synced: the highest commit that is known from elsewhere to be durable. Asked only
    ///   where it decides, with the tables of the first commit in doubt, as frames show them.
    init(
        _ reader: CommitReader, synced: (UInt64) throws(BackendError) -> CommitNumber
    ) throws(BackendError) {
        var doubtful: [(number: CommitNumber, start: UInt64, tables: UInt64)] = []
        while let item = try reader.next() {
            doubtful.removeAll { $0.number <= reader.syncedCommit }
            guard case .commit(let commit) = item, commit.header.flags.contains(.full),
                commit.number > reader.syncedCommit
            else { continue }
            doubtful.append((commit.number, commit.start, commit.header.tables))
        }
        if let first = doubtful.first {
            let known = try synced(first.tables)
            doubtful.removeAll { $0.number <= known }
        }
        last = doubtful.first?.number.previous ?? reader.lastCommit
        end = doubtful.first?.start ?? reader.goodEnd
    }
}

extension SegmentChain {
    /// The chain of a log that another process may be writing, up to its last final commit.
    ///
    /// - Parameter known: a commit that was found to be final before. What shows that may be gone: after a crash, or
    ///   of a file that was written anew.
    /// - Throws: what a directory that changes meanwhile may cause; see ``DirectoryChanges``.
    init(
        visibleIn changes: DirectoryChanges, atLeast known: CommitNumber
    ) throws(BackendError) {
        let (files, paths) = (changes.files, changes.paths)
        while true {
            try self.init(files: files, paths: paths)
            guard let last = links.last else { return }
            let segment = try SegmentReader(
                files: files, path: last.path, number: last.number, store: store)
            let visible = try VisibleCommits(CommitReader(segment)) {
                _ throws(BackendError) in
                max(known, try ViewTrust.durableCommit(of: segment.header.store, in: paths, files))
            }
            links[links.count - 1].limit = visible.end
            // What was just read is final only if it had not been taken back by then.
            if try changes.newestSegment() == highestSegment { return }
        }
    }
}

extension ViewTrust {
    /// The highest commit that the marks of a store's views, or its clean marker, say is durable.
    /// They are written after the sync.
    static func durableCommit(
        of store: UInt64, in paths: StorePaths, _ files: any FileLayer
    ) throws(BackendError) -> CommitNumber {
        var durable: CommitNumber = 0
        for mark in try marks(in: paths, files).values where mark.store == store {
            durable = max(durable, mark.applied, mark.synced)
        }
        if let marker = try CleanMarker.read(from: files, paths), marker.store == store {
            durable = max(durable, marker.lastCommit)
        }
        return durable
    }
}
