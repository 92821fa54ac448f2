import CabinetBackend

/// One run of the ``Compactor``: first everything is gathered and sorted, then it is written.
final class Compaction {
    private let files: any FileLayer
    private let directory: String
    private let suffix: String
    private let old: SnapshotReader?
    private let commitNumber: CommitNumber
    private let limits: Compactor.Limits
    private let sorter: EntrySorter
    // Unchecked, because nothing calls back into what these are used for.
    @exclusivity(unchecked) private var tables: TableHistory
    /// Sorted runs on disk, oldest first.
    private var runs: [SortedRun] = []
    private var runNumber: UInt32 = 0
    @exclusivity(unchecked) private(set) var progress = Compactor.Progress()

    init(
        files: any FileLayer, directory: String, suffix: String, old: SnapshotReader?,
        commitNumber: CommitNumber, limits: Compactor.Limits
    ) throws(BackendError) {
        self.files = files
        self.directory = directory
        self.suffix = suffix
        self.old = old
        self.commitNumber = commitNumber
        self.limits = limits
        sorter = try EntrySorter(limit: limits.run, path: directory)
        tables = try TableHistory(old)
    }

    // MARK: Gathering

    /// Takes everything out of the segments. `false`: cancelled.
    func gather(
        _ segments: [any OperationSource], _ report: (Compactor.Progress) -> Void,
        _ isCancelled: () -> Bool
    ) throws(BackendError) -> Bool {
        let known = old?.commitNumber ?? 0
        for segment in segments {
            while let next = try segment.next() {
                switch next {
                case .tables(let states, let commitNumber):
                    guard commitNumber >= known, commitNumber <= self.commitNumber else { continue }
                    for state in states { try tables.define(state) }
                case .operation(let operation, let commitNumber):
                    guard commitNumber > known || old == nil, commitNumber <= self.commitNumber
                    else { continue }
                    try take(operation, commitNumber)
                    progress.read += 1
                    if progress.read & 0xFFF == 0 {
                        report(progress)
                        if isCancelled() { return false }
                    }
                }
            }
        }
        return true
    }

    private func take(_ operation: Operation, _ commitNumber: CommitNumber) throws(BackendError) {
        switch operation {
        case .define(let definition):
            try tables.define(definition, commitNumber: commitNumber)
        case .drop(let table):
            tables.drop(table)
        default:
            guard let entry = TableEntry(operation) else { return }
            try tables.note(entry, commitNumber: commitNumber)
            if try sorter.add(entry) { return }
            try spill()
            _ = try sorter.add(entry)
        }
    }

    private func spill() throws(BackendError) {
        sorter.sort()
        runs.append(try makeRun(sorter))
        try sorter.removeAll()
    }

    private func makeRun(_ source: any EntrySource) throws(BackendError) -> SortedRun {
        runNumber += 1
        return try SortedRun(
            source, files: files, path: runPath(runNumber), number: runNumber,
            blockLimit: limits.block
        ) { entry in tables.isLive(entry.group) }
    }

    private func runPath(_ number: UInt32) -> String { "\(directory)/Run.\(number)\(suffix)" }

    // MARK: Writing

    /// Writes the snapshot to `path` and syncs it. `false`: cancelled.
    func write(
        _ path: String, storeID: UInt64, _ report: (Compactor.Progress) -> Void,
        _ isCancelled: () -> Bool
    ) throws(BackendError) -> Bool {
        guard try mergeRuns(isCancelled) else { return false }
        var writer = try SnapshotWriter(
            files: files, path: path, storeID: storeID, commitNumber: commitNumber,
            highestTable: tables.highestTable, blockLimit: limits.block)
        let states = tables.tables
        for state in states { try writer.define(state) }

        let merge = try EntryMerge(sources(touched: states))
        var untouched = self.untouched(states)[...]
        while let entry = try merge.next() {
            guard entry.stored != nil, tables.isLive(entry.group) else { continue }
            while let old, let first = untouched.first, first.table.group < entry.group {
                try writer.copy(first, of: old)
                untouched.removeFirst()
            }
            try writer.append(entry)
            progress.written += 1
            if progress.written & 0xFFF == 0 {
                report(progress)
                if isCancelled() { return false }
            }
        }
        if let old { for extent in untouched { try writer.copy(extent, of: old) } }
        try writer.finish()
        progress.written = writer.count
        report(progress)
        return true
    }

    /// Merges runs until few enough are left to merge them at once. `false`: cancelled.
    private func mergeRuns(_ isCancelled: () -> Bool) throws(BackendError) -> Bool {
        let fanIn = max(limits.fanIn, 2)
        while runs.count > fanIn {
            var fewer: [SortedRun] = []
            for start in stride(from: 0, to: runs.count, by: fanIn) {
                if isCancelled() { return false }
                let group = runs[start..<min(start + fanIn, runs.count)]
                var cursors: [any EntrySource] = []
                for run in group { cursors.append(try run.cursor(files)) }
                fewer.append(try makeRun(EntryMerge(cursors)))
                for run in group { try files.remove(run.path) }
            }
            runs = fewer
        }
        return true
    }

    /// What is to be merged, oldest first: the old snapshot's touched tables, the runs, and what
    /// is still in memory.
    private func sources(touched states: [TableState]) throws(BackendError) -> [any EntrySource] {
        var sources: [any EntrySource] = []
        if let old {
            let numbers = states.map(\.definition.number).filter { tables.isTouched($0) }
            sources.append(try SnapshotCursor(old, tables: Set(numbers)))
        }
        for run in runs { sources.append(try run.cursor(files)) }
        sorter.sort()
        sources.append(sorter)
        return sources
    }

    /// The old snapshot's blocks that can be taken over as they are.
    private func untouched(_ states: [TableState]) -> [SnapshotExtent] {
        let numbers = states.map(\.definition.number).filter { !tables.isTouched($0) }
        return old?.extents(of: Set(numbers)) ?? []
    }

    /// Removes the runs, and `aside`. What cannot be removed is garbage at the next opening.
    func removeFiles(and aside: String) {
        for number in 0..<runNumber { try? files.remove(runPath(number + 1)) }
        try? files.remove(aside)
    }
}
