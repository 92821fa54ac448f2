import CabinetBackend

/// The snapshot and the segments that together are the truth, found by their names and headers.
struct SegmentChain {
    /// The store's number; `nil` if there is neither segment nor snapshot.
    var store: UInt64?
    var snapshot: SnapshotReader?
    /// Oldest first. Each but the last ends where its successor says.
    var links: [Link] = []
    /// Segments before these that the snapshot has replaced and that are still there, for readers of the
    /// feed: oldest first, without a gap. They are no part of the truth.
    var kept: [Link] = []
    /// The highest number of any segment that is there.
    var highestSegment: UInt64 = 0
    /// Segments and snapshots that no longer belong to the truth, and what was never finished.
    var leftovers: [String] = []

    struct Link {
        var number: UInt64
        var path: String
        var header: SegmentHeader
        /// Where it ends; `nil` for the last.
        var limit: UInt64?
    }

    /// The last commit in the snapshot; 0 for none.
    var snapshotCommit: CommitNumber { snapshot?.commitNumber ?? 0 }

    /// Goes from the newest segment back to the one that holds the snapshot's next commit.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` where a link is missing or bad.
    init(files: any FileLayer, paths: StorePaths) throws(BackendError) {
        var segments: [UInt64] = []
        var snapshots: [CommitNumber] = []
        for name in try files.list(paths.log) {
            if let number = StorePaths.number(in: name, after: "log-") {
                segments.append(number)
            } else if let commitNumber = StorePaths.number(in: name, after: "snapshot-") {
                snapshots.append(CommitNumber(commitNumber))
            } else if name.hasSuffix(".new") {
                leftovers.append(paths.log + "/" + name)
            }
        }
        if let newest = snapshots.max() {
            let path = paths.snapshot(newest)
            let reader = try SnapshotReader(files: files, path: path, expectedStoreID: nil)
            guard reader.commitNumber == newest else { throw .corrupt(path: path, offset: 0) }
            snapshot = reader
            store = reader.storeID
            leftovers += snapshots.filter { $0 != newest }.map(paths.snapshot)
        }
        segments.sort()
        highestSegment = segments.last ?? 0
        var next: (number: UInt64, limit: UInt64?) = (highestSegment, nil)
        while next.number != 0 {
            let path = paths.segment(next.number)
            // The chain goes back from the highest number, so what is looked for is at the end.
            guard let index = segments.lastIndex(of: next.number) else {
                throw .corrupt(path: path, offset: 0)
            }
            segments.remove(at: index)
            let header = try SegmentReader(
                files: files, path: path, number: next.number, store: store, limit: next.limit
            ).header
            store = header.store
            links.append(
                Link(number: next.number, path: path, header: header, limit: next.limit))
            guard header.firstCommit.previous > snapshotCommit else { break }
            guard header.predecessor < next.number else { throw .corrupt(path: path, offset: 40) }
            next = (header.predecessor, header.predecessorEnd)
            guard next.number != 0 || header.firstCommit == 1 else {
                throw .corrupt(path: path, offset: 32)
            }
        }
        links.reverse()
        try findKept(&segments, files, paths)
        leftovers += segments.map(paths.segment)
    }

    /// Goes on back from the oldest segment of the truth, as far as there are others.
    /// - Parameter segments: the numbers of those that are there besides. Loses those that are found.
    private mutating func findKept(
        _ segments: inout [UInt64], _ files: any FileLayer, _ paths: StorePaths
    ) throws(BackendError) {
        guard var after = links.first?.header else { return }
        while after.predecessor != 0, after.predecessor < after.segment,
            let index = segments.lastIndex(of: after.predecessor)
        {
            let path = paths.segment(after.predecessor)
            do throws(BackendError) {
                let header = try SegmentReader(
                    files: files, path: path, number: after.predecessor, store: store
                ).header
                guard header.firstCommit <= after.firstCommit else { break }
                kept.append(
                    Link(
                        number: header.segment, path: path, header: header,
                        limit: after.predecessorEnd))
                after = header
            } catch {
                // What a damaged one had is gone for readers of the feed.
                guard case .corrupt = error else { throw error }
                break
            }
            segments.remove(at: index)
        }
        kept.reverse()
    }
}

extension SegmentChain {
    /// What is on the disk now of a log that is in use; every link has its end. The writer's turn
    /// must be held.
    init(ofAllIn commitLog: CommitLog) throws(BackendError) {
        try self.init(files: commitLog.files, paths: commitLog.paths)
        // In a store that is only read, a power cut may have left segments behind the log's end.
        links.removeAll { $0.header.firstCommit.previous > commitLog.lastCommit }
        guard let last = links.last else { return }
        let end: UInt64
        if let current = commitLog.current, current.number == last.number {
            end = current.end
        } else {
            // A store that is only read writes to no segment, and the last one may be a successor
            // that could not be taken into use.
            end = try Self.readableEnd(of: last, commitLog)
        }
        links[links.count - 1].limit = end
    }

    /// Where the whole frames of a segment end, up to the log's last commit: another process may have made more.
    private static func readableEnd(
        of link: Link, _ commitLog: CommitLog
    ) throws(BackendError) -> UInt64 {
        let reader = CommitReader(
            try SegmentReader(
                files: commitLog.files, path: link.path, number: link.number,
                store: commitLog.store))
        while let item = try reader.next() {
            if case .commit(let commit) = item, commit.number > commitLog.lastCommit {
                return commit.start
            }
        }
        return reader.goodEnd
    }
}
