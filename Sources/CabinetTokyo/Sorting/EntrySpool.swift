import CabinetBackend

/// Sorts any number of entries in bounded memory: what does not fit is kept in sorted runs on disk,
/// which are merged at the end. Of entries about the same row or key the one added last counts.
///
/// An external merge sort. After a throw it is to be given up. Not `Sendable`: it belongs to one
/// thread at a time.
final class EntrySpool {
    struct Limits {
        /// Bytes of memory for entries that are sorted at once.
        var memory = 32 << 20
        /// Runs that are merged at once: two or more.
        var fanIn = 64
        /// Bytes of entries in a block of a run.
        var block = BlockWriter.usualLimit
    }

    private let files: any FileLayer
    private let path: String
    private let suffix: String
    private let limits: Limits
    private let sorter: EntrySorter
    /// Sorted runs on disk, oldest first.
    private var runs: [SortedRun] = []
    /// How many runs were written, those included that were merged into others.
    private var runNumber: UInt32 = 0

    /// - Parameters:
    ///   - path: what the names of the runs begin with; a dot, a number and `suffix` follow.
    ///   - suffix: marks the files, so that those which a crash left behind are recognized.
    init(
        files: any FileLayer, path: String, suffix: String, limits: Limits = Limits()
    ) throws(BackendError) {
        self.files = files
        self.path = path
        self.suffix = suffix
        self.limits = limits
        sorter = try EntrySorter(limit: limits.memory, path: path)
    }

    deinit { removeFiles() }

    /// Takes a copy of `entry`.
    ///
    /// - Parameter keep: what it refuses need not be written to disk, and may still be given later.
    @inline(__always)
    func add(
        _ entry: TableEntry, keep: (TableEntry) -> Bool = { _ in true }
    ) throws(BackendError) {
        if try sorter.add(entry) { return }
        try spill(keep)
        _ = try sorter.add(entry)
    }

    /// Everything in order, deletes among it. Nothing more may be added; the spool must be kept
    /// until all is taken.
    ///
    /// - Parameters:
    ///   - older: sorted entries that count where the spool has none about the same row or key, the
    ///     oldest first.
    ///   - keep: as for ``add(_:keep:)``.
    /// - Returns: `nil` if it was cancelled.
    func entries(
        over older: [any EntrySource] = [], keep: (TableEntry) -> Bool = { _ in true },
        isCancelled: () -> Bool = { false }
    ) throws(BackendError) -> (any EntrySource)? {
        guard try mergeRuns(keep, isCancelled) else { return nil }
        sorter.sort()
        if older.isEmpty, runs.isEmpty { return sorter }
        var sources = older
        for run in runs { sources.append(try run.cursor(files)) }
        sources.append(sorter)
        return try EntryMerge(sources)
    }

    /// Removes what is on disk. What cannot be removed is garbage for the next opening.
    func removeFiles() {
        for number in 0..<runNumber { try? files.remove(runPath(number + 1)) }
        runs = []
        runNumber = 0
    }

    // MARK: Runs

    @inline(never)
    private func spill(_ keep: (TableEntry) -> Bool) throws(BackendError) {
        sorter.sort()
        runs.append(try makeRun(sorter, keep))
        try sorter.removeAll()
    }

    private func makeRun(
        _ source: any EntrySource, _ keep: (TableEntry) -> Bool
    ) throws(BackendError) -> SortedRun {
        runNumber += 1
        return try SortedRun(
            source, files: files, path: runPath(runNumber), number: runNumber,
            blockLimit: limits.block, keep: keep)
    }

    /// Merges runs until few enough are left to merge them at once. `false`: cancelled.
    private func mergeRuns(
        _ keep: (TableEntry) -> Bool, _ isCancelled: () -> Bool
    ) throws(BackendError) -> Bool {
        let fanIn = max(limits.fanIn, 2)
        while runs.count > fanIn {
            var fewer: [SortedRun] = []
            for start in stride(from: 0, to: runs.count, by: fanIn) {
                if isCancelled() { return false }
                let group = runs[start..<min(start + fanIn, runs.count)]
                var cursors: [any EntrySource] = []
                for run in group { cursors.append(try run.cursor(files)) }
                fewer.append(try makeRun(EntryMerge(cursors), keep))
                for run in group { try files.remove(run.path) }
            }
            runs = fewer
        }
        return true
    }

    private func runPath(_ number: UInt32) -> String { "\(path).\(number)\(suffix)" }
}
