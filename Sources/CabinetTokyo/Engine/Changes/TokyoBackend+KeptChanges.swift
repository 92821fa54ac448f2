import CabinetBackend

// Segments that a snapshot has replaced stay for as long as a name of the feed needs their commits.
extension TokyoBackend {
    public func claimWork(_ name: String) throws(BackendError) -> WorkClaim? {
        try checkProcess()
        try lock.reading { () throws(BackendError) in try checkOpen() }
        // No other process has the lock of a store that may be written.
        guard access == .readWrite else { throw .readOnly(path: location) }
        return works.claim(name)
    }

    /// The segments of a chain that the feed may read, oldest first. Those that only a walk still holds are
    /// not for others.
    func readable(_ chain: SegmentChain) -> [SegmentChain.Link] {
        let kept = chain.kept.reversed().prefix { !pins.isReplaced($0.number) }
        return kept.reversed() + chain.links
    }

    /// Of the segments that the snapshot of a chain has replaced, those that no name needs; with the turn.
    private func unneeded(of chain: SegmentChain) throws(BackendError) -> [SegmentChain.Link] {
        guard !chain.kept.isEmpty else { return [] }
        let links = readable(chain)
        var needed: CommitNumber = .max
        // A catalog that cannot be read is made anew before it is asked again.
        guard let (names, lines) = try namesAndLines() else { return [] }
        for name in names {
            let position = name.position
            guard position.holds(in: lines, upTo: commitLog.lastCommit),
                let oldest = links.first?.header.firstCommit.previous, oldest <= position.commit,
                try size(of: links, after: position.commit) <= name.limit
            else { continue }
            needed = min(needed, position.commit)
        }
        let next = chain.kept.dropFirst() + chain.links.prefix(1)
        return zip(chain.kept, next).compactMap { link, next in
            next.header.firstCommit.previous <= needed ? link : nil
        }
    }

    /// How many bytes of a chain are of commits behind that one.
    private func size(
        of links: [SegmentChain.Link], after commit: CommitNumber
    ) throws(BackendError) -> UInt64 {
        var size: UInt64 = 0
        for (index, link) in links.enumerated() {
            let end = link.limit ?? commitLog.current?.end ?? 0
            var start = UInt64(SegmentHeader.size)
            if index + 1 < links.count, links[index + 1].header.firstCommit.previous <= commit {
                continue
            }
            if link.header.firstCommit <= commit {
                let reader = CommitReader(
                    try SegmentReader(
                        files: files, path: link.path, number: link.number, store: commitLog.store,
                        limit: end))
                _ = try reader.pass(upTo: commit)
                start = reader.offset
            }
            size += end - min(start, end)
        }
        return size
    }

    /// What the catalog says is kept, and the lines; `nil` if its file is damaged. It is not made anew, for
    /// which the turn would have to be free.
    func namesAndLines() throws(BackendError) -> ([KeptChanges], [CommitLine])? {
        try lock.reading { () throws(BackendError) in
            try checkOpen()
            guard let catalog = table(.catalog), let image = catalog.hashFile?.image,
                let lines = try? CatalogReader(catalog).lines()
            else { return nil }
            var names: [KeptChanges] = []
            var offset = image.firstRecord
            while offset < image.end {
                switch image.block(at: offset) {
                case nil: return nil
                case .free(let next): offset = next
                case .record(let record):
                    offset = record.next
                    if catalog.values.seal == nil, !KeptChanges.isEntry(record.key) { continue }
                    let isDone: Void? = catalog.values.withEntry(of: record) {
                        guard KeptChanges.isEntry($0) else { return }
                        if let name = KeptChanges(key: $0, value: $1) { names.append(name) }
                    }
                    if isDone == nil { return nil }
                }
            }
            return (names, lines)
        }
    }

    /// Removes the segments that the snapshot of a chain has replaced and no name needs; with the turn.
    func removeUnneeded(of chain: SegmentChain) throws(BackendError) {
        let unneeded = Set(try unneeded(of: chain).map(\.number))
        for link in chain.kept where unneeded.contains(link.number) {
            try removeReplaced(link.path)
        }
        let kept = Set(chain.kept.map(\.number)).subtracting(unneeded)
        // The snapshot is durable, and no later sync knows of what it has replaced.
        for segment in commitLog.unsynced where kept.contains(segment.number) {
            try files.sync(segment.file)
        }
    }

    /// Removes what an opening has found of replaced segments.
    func removeUnneeded() throws(BackendError) {
        let owner = Opener()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        try removeUnneeded(of: SegmentChain(files: files, paths: commitLog.paths))
    }

    /// Stands for a caller that takes the turn for a moment.
    private final class Opener {}
}
