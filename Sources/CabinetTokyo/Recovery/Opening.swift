import CabinetBackend

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Brings a directory into use: finds out what it is, locks it, and sees that every view says
/// what the log says.
struct Opening {
    let files: any FileLayer
    let paths: StorePaths
    let durability: Durability
    let access: Access
    let log: LogSink

    /// A store in use.
    struct Opened {
        var lock: StoreLock
        var journal: Journal
        /// By number; `nil` where there is no table.
        var tables: [Table?]
        var highestTable: TableNumber
        /// Where views were rebuilt for a store that may not be changed.
        var temporary: TemporaryViews?
        /// The tables whose view files were damaged, and have been made anew.
        var damagedViews: [TableNumber] = []
        /// Whether the directory is the ancestor's, and not adopted yet.
        var isLegacy = false
        /// The live bytes in the snapshot, for judging when to make the next.
        var snapshotBytes: UInt64 = 0
    }

    func open() throws(BackendError) -> Opened {
        try findDirectory()
        let journal = try status(of: paths.journal)
        if journal == nil, let legacy = try LegacyDirectory(files: files, paths: paths) {
            return try legacy.open(self)
        }
        if journal == nil {
            guard access == .readWrite else { throw .notAStore(path: paths.root) }
            try files.makeDirectory(paths.journal)
            try files.syncDirectory(paths.root)
        } else if journal?.isDirectory == false {
            throw .notAStore(path: paths.root)
        }
        let lock = try takeLock()
        let marker = try CleanMarker.read(from: files, paths)
        let chain = try JournalChain(files: files, paths: paths)
        guard let store = chain.store else { return try openEmpty(lock, marker) }
        if let marker, try isCurrent(marker, chain) {
            return try openClosed(lock, store, marker, chain)
        }
        return try openUnclosed(lock, store, marker, chain)
    }

    // MARK: The directory

    private func findDirectory() throws(BackendError) {
        if let status = try status(of: paths.root) {
            guard status.isDirectory else { throw .notAStore(path: paths.root) }
            return
        }
        guard access == .readWrite else {
            throw .system(operation: "open", path: paths.root, code: ENOENT)
        }
        try makeDirectory(paths.root)
    }

    /// Makes the directory and those above it.
    private func makeDirectory(_ path: String) throws(BackendError) {
        let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        let above = parent.isEmpty ? "/" : String(parent)
        if try status(of: above) == nil { try makeDirectory(above) }
        try files.makeDirectory(path)
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
            root: paths.root, path: isExclusive || hasFile ? paths.lock : paths.journal,
            exclusive: isExclusive, files: files)
    }

    // MARK: The ways in

    /// A directory in which nothing was ever saved.
    private func openEmpty(
        _ lock: StoreLock, _ marker: CleanMarker?
    ) throws(BackendError) -> Opened {
        // Views without a log are what is left of a store, not the beginning of one.
        guard marker == nil, try ViewTrust.marks(in: paths, files).isEmpty else {
            throw .corrupt(path: paths.journal, offset: 0)
        }
        let journal = Journal(
            files: files, paths: paths, store: UInt64.random(in: 1...UInt64.max),
            durability: durability, lastLSN: 0, syncedLSN: 0, highestSegment: 0, current: nil)
        return Opened(
            lock: lock, journal: journal, tables: [nil, nil], highestTable: .namedBuffers)
    }

    private func isCurrent(
        _ marker: CleanMarker, _ chain: JournalChain
    ) throws(BackendError) -> Bool {
        guard marker.store == chain.store, marker.snapshot == chain.snapshotLSN,
            marker.segments.map(\.number) == chain.links.map(\.number)
        else { return false }
        for (segment, link) in zip(marker.segments, chain.links) {
            guard try files.status(of: link.path)?.size == segment.length else { return false }
        }
        return true
    }

    /// After an orderly close only headers and the marker are read.
    private func openClosed(
        _ lock: StoreLock, _ store: UInt64, _ marker: CleanMarker, _ chain: JournalChain
    ) throws(BackendError) -> Opened {
        var current: Journal.Segment?
        if let last = marker.segments.last {
            let path = paths.segment(last.number)
            let file = try files.open(path, for: access == .readWrite ? .writing : .reading)
            current = Journal.Segment(
                number: last.number, file: file, end: last.length, syncedEnd: last.length)
        }
        let journal = Journal(
            files: files, paths: paths, store: store, durability: durability,
            lastLSN: marker.lastLSN, syncedLSN: marker.lastLSN,
            highestSegment: chain.highestSegment, current: current)
        journal.appendedBytes = marker.segments.reduce(0) { $0 + $1.length }
        var seals = TableMap<ViewSeal>()
        var estimates = TableMap<(count: UInt64, bytes: UInt64)>()
        for (state, seal) in zip(marker.tables, marker.views) {
            seals[state.definition.number] = seal
            estimates[state.definition.number] = (seal.count, seal.size)
        }
        var views = ViewOpening(
            opening: self, journal: journal, source: nil, coherent: false, seals: seals,
            estimates: estimates)
        var opened = Opened(
            lock: lock, journal: journal,
            tables: try views.open(marker.tables), highestTable: .namedBuffers,
            temporary: views.temporary)
        opened.damagedViews = views.damaged
        opened.highestTable = try views.highestTable(
            atLeast: marker.tables.map(\.definition.number).max() ?? 1, opened.tables)
        opened.snapshotBytes = chain.snapshot?.tables.reduce(0) { $0 + $1.bytes } ?? 0
        if access == .readWrite { for path in chain.leftovers { try files.remove(path) } }
        return opened
    }
}
