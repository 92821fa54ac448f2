import CabinetBackend

extension Opening {
    /// Opens a store whose last user did not close it: reads the whole log, decides where it
    /// ends, and begins a new segment there.
    func openUnclosed(
        _ lock: StoreLock, _ store: UInt64, _ marker: CleanMarker?, _ chain: SegmentChain
    ) throws(BackendError) -> Opened {
        log(.notice, "\(paths.root) was not closed; reading its log.")
        var scan = try LogScan(files: files, chain: chain)
        let mount = try files.mountIdentity(of: paths.root)
        let isCoherent = scan.session.map { mount.isKnown(toBe: $0.mount) } ?? false
        let marks = try ViewTrust.marks(in: paths, files).filter { $0.value.store == store }
        let applied = marks.values.map(\.applied).max() ?? 0
        for mark in marks.values { scan.know(synced: mark.synced) }
        if let marker, marker.store == store { scan.know(synced: marker.lastCommit) }
        let runs = try RunFiles(files: files, directory: paths.root)
        let ordered = scan.tables.values.filter { $0.definition.kind == .ordered }.map(
            \.definition.number)
        scan.know(synced: try runs.highestCommit(in: store, of: ordered))
        scan.know(synced: scan.beyond.syncedCommit)
        try checkEnd(scan, isCoherent: isCoherent, applied: applied)
        try checkCatalog(scan)
        let commitLog: CommitLog
        let source: LogSource
        if access == .readWrite {
            let line = try lineGoingOn(after: scan, isCoherent: isCoherent)
            commitLog = try beginSegment(
                scan, store, mount, line: line ?? UInt64.random(in: 1...UInt64.max))
            source = try LogSource(commitLog)
            removeOrphans(marks, runs, scan)
        } else {
            commitLog = CommitLog(
                files: files, paths: paths, store: store, durability: durability,
                lastCommit: scan.lastCommit, syncedCommit: scan.syncedCommit,
                highestSegment: chain.highestSegment, current: nil)
            source = LogSource(scan, files: files)
        }
        commitLog.appendedBytes = scan.appendedBytes
        var views = ViewOpening(
            opening: self, commitLog: commitLog, source: source, coherent: isCoherent,
            seals: TableMap(), estimates: TableMap(scan.puts.lazy.map { ($0.key, $0.value) }))
        let tables = try views.open(Array(scan.tables.values))
        return Opened(
            lock: lock, commitLog: commitLog, tables: tables,
            highestTable: try views.highestTable(atLeast: scan.highestTable, tables),
            temporary: views.temporary, damagedViews: views.damaged)
    }

    /// A hole above everything known to have been written is a tail that a power cut or a kill
    /// has left; below it, damage.
    private func checkEnd(
        _ scan: LogScan, isCoherent: Bool, applied: CommitNumber
    ) throws(BackendError) {
        var written = scan.syncedCommit
        // While the machine runs, nothing that was written goes missing by itself.
        if isCoherent { written = max(written, applied, scan.beyond.writtenCommit) }
        guard scan.lastCommit < written else {
            if let hole = scan.hole {
                log(.debug, "\(hole.path) ends at byte \(hole.offset) after a save that was not.")
            }
            return
        }
        let end = scan.parts.last
        throw .corrupt(
            path: scan.hole?.path ?? end?.path ?? paths.log,
            offset: scan.hole?.offset ?? end?.end ?? 0)
    }

    /// Sees that no newer program made the catalog, before anything is changed.
    func checkCatalog(_ scan: LogScan) throws(BackendError) {
        var entry = scan.storeEntry
        if entry == nil, let snapshot = scan.chain.snapshot {
            do throws(BackendError) {
                let cursor = try SnapshotCursor(snapshot, tables: [.catalog])
                while entry == nil, let next = try cursor.next() {
                    guard next.key.elementsEqual(CatalogKey.store.utf8) else { continue }
                    entry = next.stored.map { Array(Checksum.value(of: $0)) }
                }
            } catch .corrupt {
                // The views may be sound. What is made from the snapshot says that it is damaged.
                return
            } catch {
                throw error
            }
        }
        try StoreEntry.check(
            entry?.withUnsafeBytes { StoreEntry.format(of: $0) }, path: paths.catalog)
    }

    /// Begins the segment that new commits go to. It takes over the commits that are not known to
    /// be durable: a page that a failed sync left in memory looks as if it were written.
    private func beginSegment(
        _ scan: LogScan, _ store: UInt64, _ mount: MountIdentity, line: UInt64
    ) throws(BackendError) -> CommitLog {
        let synced = min(scan.syncedCommit, scan.lastCommit)
        let index = scan.parts.lastIndex { $0.firstCommit.previous <= synced }
        var header = SegmentHeader(
            store: store, segment: scan.chain.highestSegment + 1, firstCommit: synced.next,
            syncedCommit: synced, time: SystemClock.microseconds(), line: line)
        var stretches: [SegmentMaker.Stretch] = []
        if let index {
            let part = scan.parts[index]
            let cut = try end(of: synced, in: part, store)
            header.predecessor = part.number
            header.predecessorEnd = cut
            if synced < scan.lastCommit {
                stretches = scan.parts[index...].map {
                    SegmentMaker.Stretch(
                        segment: $0.number, start: $0.number == part.number ? cut : 0, end: $0.end)
                }
            }
        }
        let session = SessionRecord(
            mount: mount, process: Opening.processNumber, durability: durability)
        let made = try SegmentMaker(files: files, paths: paths).make(
            header,
            tables: scan.tables.values.inOrder { $0.definition.number < $1.definition.number },
            session: session, copying: stretches)
        try files.remove(paths.clean)
        for link in scan.chain.links where link.number > header.predecessor {
            try files.remove(link.path)
        }
        for path in scan.chain.leftovers { try files.remove(path) }
        if header.predecessor != 0 {
            let file = try files.open(paths.segment(header.predecessor), for: .writing)
            try files.truncate(file, to: header.predecessorEnd)
        }
        let commitLog = CommitLog(
            files: files, paths: paths, store: store, durability: durability,
            lastCommit: scan.lastCommit, syncedCommit: scan.lastCommit,
            highestSegment: header.segment,
            current: CommitLog.Segment(
                number: header.segment, file: made.file, end: made.end, syncedEnd: made.end),
            line: line)
        commitLog.begin(session: session)
        return commitLog
    }

    /// Where the frames of the commit `commitNumber` end in a segment, and those before it.
    private func end(
        of commitNumber: CommitNumber, in part: LogScan.Part, _ store: UInt64
    ) throws(BackendError) -> UInt64 {
        guard commitNumber < part.lastCommit else { return part.end }
        let reader = CommitReader(
            try SegmentReader(
                files: files, path: part.path, number: part.number, store: store))
        while let item = try reader.next() {
            if case .commit(let commit) = item, commit.number > commitNumber { return commit.start }
        }
        return part.end
    }

    /// Removes views of tables that are gone or have another name.
    private func removeOrphans(
        _ marks: [String: ViewMark], _ runs: RunFiles, _ scan: LogScan
    ) {
        let wanted = Set(scan.tables.values.map { paths.view(of: $0.definition) })
        let strays = runs.strays(Set(scan.tables.keys))
        for path in marks.keys.filter({ !wanted.contains($0) }) + strays {
            log(.notice, "Removing \(path), which no table has any more.")
            try? files.remove(path)
        }
    }
}
