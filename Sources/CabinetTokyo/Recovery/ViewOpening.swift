import CLibrary
import CabinetBackend

/// Opens the views of all tables, and rebuilds those that cannot be trusted.
struct ViewOpening {
    let opening: Opening
    let commitLog: CommitLog
    /// What to rebuild from; made when it is needed.
    var source: LogSource?
    let coherent: Bool
    let seals: TableMap<ViewSeal>
    let estimates: TableMap<(count: UInt64, bytes: UInt64)>
    private(set) var temporary: TemporaryViews?
    /// What the directory holds of runs; listed when the first ordered table is opened.
    private var runFiles: RunFiles?
    /// The tables whose files were damaged.
    private(set) var damaged: [TableNumber] = []

    init(
        opening: Opening, commitLog: CommitLog, source: LogSource?, coherent: Bool,
        seals: TableMap<ViewSeal>, estimates: TableMap<(count: UInt64, bytes: UInt64)>
    ) {
        self.opening = opening
        self.commitLog = commitLog
        self.source = source
        self.coherent = coherent
        self.seals = seals
        self.estimates = estimates
    }

    /// The tables by number. The catalog comes first: it says how the others are laid out.
    mutating func open(_ states: [TableState]) throws(BackendError) -> [Table?] {
        // Before the first commit there are no tables, and so no views: not the catalog's either.
        if states.isEmpty, commitLog.lastCommit == 0 { return [nil, nil] }
        let highest = states.map(\.definition.number).max() ?? .namedBuffers
        var tables: [Table?] = Array(repeating: nil, count: max(highest, 1).index + 1)
        guard let first = states.first(where: { $0.definition.number == .catalog }) else {
            throw .corrupt(path: opening.paths.log, offset: 0)
        }
        let catalog = try open([(first, CatalogEntry(first.definition))])[0]
        tables[0] = catalog
        let reader = CatalogReader(catalog)
        try reader.checkFormat()
        var entries: [(TableState, CatalogEntry)] = []
        for var state in states where state.definition.number != .catalog {
            let number = state.definition.number
            var entry = try reader.entry(of: state) ?? CatalogEntry(state.definition)
            entry.definition = state.definition
            state.highestRow = max(state.highestRow, try reader.highestRow(of: number))
            entries.append((state, entry))
        }
        for table in try open(entries) { tables[table.number.index] = table }
        return tables
    }

    /// The highest table number ever given to a table.
    func highestTable(
        atLeast number: TableNumber, _ tables: [Table?]
    ) throws(BackendError) -> TableNumber {
        guard let catalog = tables[0] else { return number }
        let noted = try CatalogReader(catalog).counter(CatalogKey.tables) ?? 0
        return max(number, TableNumber(UInt16(truncatingIfNeeded: noted)))
    }

    private mutating func open(
        _ entries: [(state: TableState, entry: CatalogEntry)]
    ) throws(BackendError) -> [Table] {
        let trust = ViewTrust(files: opening.files, store: commitLog.store)
        var tables: [Table] = []
        var jobs: [ViewBuilder.Job] = []
        for (state, entry) in entries {
            if state.definition.kind == .ordered {
                let (table, job) = try openOrdered(state, entry)
                tables.append(table)
                if let job { jobs.append(job) }
                continue
            }
            let path = opening.paths.view(of: state.definition)
            let past: ViewTrust.Past =
                if let seal = seals[state.definition.number] { .closed(seal) } else if coherent {
                    .coherent
                } else { .unknown }
            let verdict = try trust.judge(
                state, at: path, ValueForm(entry, opening.files), past)
            let table = Table(
                entry, opening.files, lastCommit: state.lastCommit, highestRow: state.highestRow,
                view: .unavailable(path: path, cause: "it is not open"))
            tables.append(table)
            let estimate = estimates[state.definition.number] ?? (0, 0)
            var job = ViewBuilder.Job(table: table, count: estimate.count, bytes: estimate.bytes)
            switch verdict {
            case .sound(let view):
                table.view = view
                table.seal = seals[state.definition.number]
            case .behind(let view, let applied):
                // A copy may be of a time before the snapshot, which has what the log lacks then.
                if opening.access == .readWrite, applied >= source?.snapshotCommit ?? 0 {
                    table.view = view
                    job.applied = applied
                }
                jobs.append(job)
            case .untrusted(let reason, let isDamage):
                opening.log(
                    isDamage ? .warning : .notice, "Making \(path) anew from the log: \(reason).")
                if isDamage { damaged.append(state.definition.number) }
                jobs.append(job)
            }
        }
        if !jobs.isEmpty { try rebuild(jobs) }
        return tables
    }

    /// Opens an ordered table from its runs, whatever happened since they were written. If the
    /// store was closed, and all files are there, they are opened and checked at their first use.
    /// - Returns: the table, and what is to be done before it is current.
    private mutating func openOrdered(
        _ state: TableState, _ entry: CatalogEntry
    ) throws(BackendError) -> (Table, ViewBuilder.Job?) {
        let number = state.definition.number
        let base = opening.paths.view(of: state.definition)
        if runFiles == nil {
            runFiles = try RunFiles(files: opening.files, directory: opening.paths.root)
        }
        let identity = RunIdentity(
            store: commitLog.store, table: number, flags: state.definition.flags)
        if let seal = seals[number],
            let runs = try runFiles?.pending(
                identity, upTo: commitLog.lastCommit, size: seal.size)
        {
            let view = OrderedView(
                identity, base: base, buildingBase: opening.paths.building(number), pending: runs)
            let table = Table(
                entry, opening.files, lastCommit: state.lastCommit, highestRow: 0,
                view: .ordered(view))
            table.seal = seal
            return (table, nil)
        }
        let found =
            try runFiles?.open(identity, upTo: commitLog.lastCommit) ?? RunFiles.Found()
        if opening.access == .readWrite {
            for path in found.superfluous + found.damaged { try opening.files.remove(path) }
        }
        let view = OrderedView(
            identity, base: base, buildingBase: opening.paths.building(number), runs: found.runs)
        let table = Table(
            entry, opening.files, lastCommit: state.lastCommit, highestRow: 0, view: .ordered(view))
        note(found, view, state)
        guard view.top < state.lastCommit else { return (table, nil) }
        let estimate = estimates[number] ?? (0, 0)
        var job = ViewBuilder.Job(table: table, count: estimate.count, bytes: estimate.bytes)
        if source == nil { source = try LogSource(commitLog) }
        if view.top >= source?.snapshotCommit ?? 0 {
            job.applied = view.top
            // Of a store that is only read, closing writes nothing.
            job.isSettled = seals[number] != nil
        } else {
            table.view = .unavailable(path: base, cause: "it is not open")
        }
        return (table, job)
    }

    /// Reports what is damaged or missing.
    private mutating func note(
        _ found: RunFiles.Found, _ view: OrderedView, _ state: TableState
    ) {
        let number = state.definition.number
        for path in found.damaged {
            opening.log(.warning, "\(path) is damaged; making what it held anew from the log.")
        }
        let isShort =
            view.top < state.lastCommit
            && seals[number].map { $0.size != view.size } ?? false
        if isShort, found.damaged.isEmpty {
            opening.log(.warning, "Runs of \(view.base) are missing; making them from the log.")
        }
        if isShort || !found.damaged.isEmpty { damaged.append(number) }
    }

    private mutating func rebuild(_ jobs: [ViewBuilder.Job]) throws(BackendError) {
        if opening.access == .readOnly, temporary == nil {
            temporary = try TemporaryViews(files: opening.files)
        }
        // Of runs the marker says nothing.
        if opening.access == .readWrite, !opening.isOfCopies,
            jobs.contains(where: { $0.table.kind != .ordered })
        {
            // Nothing is changed under a marker that says it was not.
            try commitLog.prepare(
                try SessionRecord(opening), tables: jobs.map(\.table.state), sealing: false)
        }
        if source == nil { source = try LogSource(commitLog) }
        guard let source else { return }
        let builder = ViewBuilder(opening.files, opening.paths, commitLog, temporary)
        try builder.run(jobs, from: source, upTo: commitLog.lastCommit)
    }
}

extension ViewBuilder {
    init(
        _ files: any FileLayer, _ paths: StorePaths, _ commitLog: CommitLog,
        _ temporary: TemporaryViews?
    ) {
        self.init(
            files: files, store: commitLog.store, syncedCommit: commitLog.syncedCommit,
            pathOf: { table in
                temporary?.path(of: table.number) ?? paths.view(of: table.definition)
            },
            building: { table in
                temporary.map { $0.path(of: table.number) + ".new" }
                    ?? paths.building(table.number)
            },
            isReadOnly: temporary != nil)
    }
}

extension SessionRecord {
    /// What a stretch of use that begins now says of itself.
    init(_ opening: Opening) throws(BackendError) {
        self.init(
            mount: try opening.files.mountIdentity(of: opening.paths.root),
            process: Opening.processNumber, durability: opening.durability)
    }
}

extension Opening {
    static var processNumber: UInt32 { UInt32(bitPattern: getpid()) }
}
