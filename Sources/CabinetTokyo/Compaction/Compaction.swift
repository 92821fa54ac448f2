import CabinetBackend

/// One run of the ``Compactor``: first everything is gathered and sorted, then it is written.
final class Compaction {
    private let files: any FileLayer
    private let old: SnapshotReader?
    private let commitNumber: CommitNumber
    private let limits: Compactor.Limits
    private let spool: EntrySpool
    // Unchecked, because nothing calls back into what these are used for.
    @exclusivity(unchecked) private var tables: TableFates
    @exclusivity(unchecked) private(set) var progress = Compactor.Progress()

    init(
        files: any FileLayer, directory: String, suffix: String, old: SnapshotReader?,
        commitNumber: CommitNumber, limits: Compactor.Limits
    ) throws(BackendError) {
        self.files = files
        self.old = old
        self.commitNumber = commitNumber
        self.limits = limits
        spool = try EntrySpool(
            files: files, path: "\(directory)/Run", suffix: suffix,
            limits: EntrySpool.Limits(
                memory: limits.run, fanIn: limits.fanIn, block: limits.block))
        tables = try TableFates(old)
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
            try spool.add(entry) { tables.isLive($0.group) }
        }
    }

    // MARK: Writing

    /// Writes the snapshot to `path` and syncs it. `false`: cancelled.
    func write(
        _ path: String, storeID: UInt64, _ report: (Compactor.Progress) -> Void,
        _ isCancelled: () -> Bool
    ) throws(BackendError) -> Bool {
        let states = tables.tables
        guard
            let entries = try spool.entries(
                over: snapshotEntries(touched: states), keep: { tables.isLive($0.group) },
                isCancelled: isCancelled)
        else { return false }
        var writer = try SnapshotWriter(
            files: files, path: path, storeID: storeID, commitNumber: commitNumber,
            highestTable: tables.highestTable, blockLimit: limits.block)
        for state in states { try writer.define(state) }

        var untouched = self.untouched(states)[...]
        while let entry = try entries.next() {
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

    /// What the old snapshot has of touched tables, if there is one.
    private func snapshotEntries(
        touched states: [TableState]
    ) throws(BackendError) -> [any EntrySource] {
        guard let old else { return [] }
        let numbers = states.map(\.definition.number).filter { tables.isTouched($0) }
        return [try SnapshotCursor(old, tables: Set(numbers))]
    }

    /// The old snapshot's blocks that can be taken over as they are.
    private func untouched(_ states: [TableState]) -> [SnapshotExtent] {
        let numbers = states.map(\.definition.number).filter { !tables.isTouched($0) }
        return old?.extents(of: Set(numbers)) ?? []
    }

    /// Removes the runs, and `aside`. What cannot be removed is garbage at the next opening.
    func removeFiles(and aside: String) {
        spool.removeFiles()
        try? files.remove(aside)
    }
}
