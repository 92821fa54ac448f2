import CLibrary
import CabinetBackend

/// Brings a directory into use: finds out what it is, locks it, and sees that every view says
/// what the log says.
struct Opening {
    let files: any FileLayer
    /// The same, of a directory that is opened for writing.
    var placed: PlacedFiles?
    let paths: StorePaths
    let durability: Durability
    let access: Access
    let log: LogSink
    /// The keys of a store that is to be sealed, if nothing was ever saved in it.
    var newKeys: KeyFile?
    /// Whether a key was given.
    var hasKey = false
    /// Whether `paths` are those of copies that only this process uses.
    var isOfCopies = false

    /// A store in use.
    struct Opened {
        /// `nil` for a follower, which keeps no other process from anything.
        var lock: StoreLock?
        var commitLog: CommitLog
        /// By number; `nil` where there is no table.
        var tables: [Table?]
        var highestTable: TableNumber
        /// The numbers that may be used again, of a store that may be changed.
        var dropped = DroppedTables()
        /// The last commit in the snapshot; 0: there is none.
        var snapshotCommit: CommitNumber = 0
        /// Where views were rebuilt for a store that may not be changed.
        var temporary: TemporaryViews?
        /// The tables whose view files were damaged, and have been rebuilt.
        var damagedViews: [TableNumber] = []
        /// Whether there are segments that the snapshot has replaced, in a store that may be written.
        var hasReplacedSegments = false
        /// The lines that the catalog lists, of a store that may be written.
        var lines: [CommitLine] = []
        /// Whether the directory is BNRPersistence's, and not adopted yet.
        var isLegacy = false
        /// What this opening has made, if the directory or its log was not there.
        var made: MadeDirectories?
        /// The directory of a follower's own views.
        var copies: TemporaryViews?
    }

    func open() throws(BackendError) -> Opened {
        var made = MadeDirectories(files: files)
        var lock: StoreLock?
        do throws(BackendError) {
            return try open(&made, &lock)
        } catch {
            if lock != nil {
                try? made.removeFile(paths.key, in: paths.log)
                try? made.removeFile(paths.lock, in: paths.log)
            }
            made.remove()
            withExtendedLifetime(lock) {}
            // The file that says so is one of many.
            if case .keyNeeded = error { throw .keyNeeded(path: paths.root) }
            throw error
        }
    }

    /// - Parameters:
    ///   - made: gets the directories that this makes.
    ///   - lock: gets the store's lock as soon as it is held.
    private func open(
        _ made: inout MadeDirectories, _ lock: inout StoreLock?
    ) throws(BackendError) -> Opened {
        try findDirectory(&made)
        let commitLog = try status(of: paths.log)
        if commitLog == nil {
            // BNRPersistence's files have no marks. With them, this was a store of ours.
            guard try ViewTrust.marks(in: paths, files).isEmpty else {
                // Another process may have made the log, and then the marks, just now.
                let isMissing = try status(of: paths.log) == nil
                throw isMissing
                    ? .logMissing(path: paths.root) : .busy(path: paths.root, holder: "")
            }
            if let legacy = try LegacyDirectory(files: files, paths: paths) {
                if hasKey { throw .notEncrypted(path: paths.root) }
                return try legacy.open(self)
            }
            guard access == .readWrite else { throw .noStore(path: paths.root) }
            try refuseAPackage()
            try made.make(paths.log)
            try files.syncDirectory(paths.root)
        } else if let commitLog, !commitLog.isDirectory {
            // A symbolic link would lead out of the store.
            throw commitLog.isFile ? .notAStore(path: paths.root) : .pathTaken(path: paths.log)
        }
        let held: StoreLock
        do throws(BackendError) {
            held = try takeLock()
        } catch {
            guard access == .readOnly, case .busy(_, let holder) = error,
                holder != StoreLock.thisProcess
            else { throw error }
            return try FollowerOpening(self).open()
        }
        lock = held
        placed?.hold(try held.file(in: files))
        if held.isBesideReaders { try ViewRenewal(files: files, paths: paths).run() }
        let marker = try CleanMarker.read(from: files, paths)
        let chain = try SegmentChain(files: files, paths: paths)
        var opened: Opened
        if let store = chain.store {
            try checkKeys()
            if let marker, try isCurrent(marker, chain) {
                opened = try openClosed(held, store, marker, chain)
            } else {
                opened = try openUnclosed(held, store, marker, chain)
            }
        } else {
            opened = try openEmpty(held, marker)
        }
        if access == .readWrite, let catalog = opened.tables[0] {
            opened.dropped = try CatalogReader(catalog).dropped()
            opened.snapshotCommit = chain.snapshotCommit
            opened.lines = try CatalogReader(catalog).lines()
            opened.hasReplacedSegments = !chain.kept.isEmpty
        }
        opened.made = made
        held.endOpening()
        return opened
    }

    /// The package of a document is none of a store.
    private func refuseAPackage() throws(BackendError) {
        let content = paths.root + "/" + StorePaths.packageContent
        guard try files.status(of: content) == nil else { throw .notAStore(path: paths.root) }
    }

    // MARK: The directory

    private func findDirectory(_ made: inout MadeDirectories) throws(BackendError) {
        if let status = try status(of: paths.root) {
            guard status.isDirectory else { throw .notAStore(path: paths.root) }
            return
        }
        guard access == .readWrite else { throw .noStore(path: paths.root) }
        try makeDirectory(paths.root, &made)
    }

    /// Makes the directory and those above it.
    private func makeDirectory(
        _ path: String, _ made: inout MadeDirectories
    ) throws(BackendError) {
        let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        let above = parent.isEmpty ? "/" : String(parent)
        if try status(of: above) == nil { try makeDirectory(above, &made) }
        try made.make(path)
        try files.syncDirectory(above)
    }

    private func status(of path: String) throws(BackendError) -> FileStatus? {
        do {
            return try files.status(of: path)
        } catch .system(_, _, ENOTDIR) {
            throw .notAStore(path: paths.root)
        } catch {
            throw error
        }
    }

    private func takeLock() throws(BackendError) -> StoreLock {
        let isExclusive = access == .readWrite
        // A reader makes nothing: where there is no lock file, the directory serves.
        let hasFile = try files.status(of: paths.lock) != nil
        return try StoreLock(
            root: paths.root, path: isExclusive || hasFile ? paths.lock : paths.log,
            exclusive: isExclusive, files: files)
    }

    // MARK: The ways in

    /// A directory in which nothing was ever saved.
    private func openEmpty(
        _ lock: StoreLock, _ marker: CleanMarker?
    ) throws(BackendError) -> Opened {
        // Views without a log are what is left of a store, not the beginning of one.
        guard marker == nil, try ViewTrust.marks(in: paths, files).isEmpty else {
            throw .logMissing(path: paths.root)
        }
        try writeKeys()
        let commitLog = CommitLog(
            files: files, paths: paths, store: UInt64.random(in: 1...UInt64.max),
            durability: durability, lastCommit: 0, syncedCommit: 0, highestSegment: 0, current: nil)
        return Opened(
            lock: lock, commitLog: commitLog, tables: [nil, nil], highestTable: .namedBuffers)
    }

    private func isCurrent(
        _ marker: CleanMarker, _ chain: SegmentChain
    ) throws(BackendError) -> Bool {
        guard marker.store == chain.store, marker.snapshot == chain.snapshotCommit,
            marker.segments.map(\.number) == chain.links.map(\.number)
        else { return false }
        for (segment, link) in zip(marker.segments, chain.links) {
            guard try files.status(of: link.path)?.size == segment.length else { return false }
        }
        return true
    }

    /// After an orderly close only headers and the marker are read.
    private func openClosed(
        _ lock: StoreLock, _ store: UInt64, _ marker: CleanMarker, _ chain: SegmentChain
    ) throws(BackendError) -> Opened {
        var current: CommitLog.Segment?
        let line = try access == .readWrite ? lineGoingOn(after: chain) : nil
        if let last = marker.segments.last {
            let path = paths.segment(last.number)
            let file = try files.open(path, for: access == .readWrite ? .writing : .reading)
            current = CommitLog.Segment(
                number: last.number, file: file, end: last.length, syncedEnd: last.length,
                isOutdated: line == nil)
        }
        let commitLog = CommitLog(
            files: files, paths: paths, store: store, durability: durability,
            lastCommit: marker.lastCommit, syncedCommit: marker.lastCommit,
            highestSegment: chain.highestSegment, current: current, line: line)
        commitLog.appendedBytes = marker.segments.reduce(0) { $0 + $1.length }
        var seals = TableMap<ViewSeal>()
        var estimates = TableMap<(count: UInt64, bytes: UInt64)>()
        for (state, seal) in zip(marker.tables, marker.views) {
            seals[state.definition.number] = seal
            estimates[state.definition.number] = (seal.count, seal.size)
        }
        var views = ViewOpening(
            opening: self, commitLog: commitLog, source: nil, coherent: false, seals: seals,
            estimates: estimates)
        var opened = Opened(
            lock: lock, commitLog: commitLog,
            tables: try views.open(marker.tables), highestTable: .namedBuffers,
            temporary: views.temporary)
        opened.damagedViews = views.damaged
        opened.highestTable = try views.highestTable(
            atLeast: marker.tables.map(\.definition.number).max() ?? 1, opened.tables)
        if access == .readWrite { for path in chain.leftovers { try files.remove(path) } }
        return opened
    }
}
