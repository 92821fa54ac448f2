import CabinetBackend

/// Makes view files from the log, or brings them up to it.
struct ViewBuilder {
    let files: any FileLayer
    let store: UInt64
    let syncedCommit: CommitNumber
    /// Where a finished view of the table goes; it is built aside and renamed.
    let pathOf: (Table) -> String
    /// Where it is built.
    let building: (Table) -> String
    /// Whether the store's directory must stay as it is.
    let isReadOnly: Bool

    /// A table to be rebuilt, with an estimate of how much it will hold.
    struct Job {
        var table: Table
        var count: UInt64 = 0
        var bytes: UInt64 = 0
        /// For a view that needs the commits behind this one only.
        var applied: CommitNumber?
        /// Whether what an ordered table gets must be in files at once, although it is little.
        var isSettled = false
    }

    /// Does all jobs in one reading of the log up to `lastCommit`. After a throw no table has
    /// changed its file, except those that were brought up to date, which are busy; and nothing of what
    /// was built aside is left.
    func run(
        _ jobs: [Job], from source: LogSource, upTo lastCommit: CommitNumber
    ) throws(BackendError) {
        guard !jobs.isEmpty else { return }
        do throws(BackendError) {
            try build(jobs, from: source, upTo: lastCommit)
        } catch {
            for job in jobs where job.applied == nil { try? files.remove(building(job.table)) }
            throw error
        }
    }

    private func build(
        _ jobs: [Job], from source: LogSource, upTo lastCommit: CommitNumber
    ) throws(BackendError) {
        let highest = jobs.map(\.table.number).max() ?? 0
        var applier = Applier(highest: highest)
        var views: [TableNumber: Table.View] = [:]
        var feeds: [TableNumber: OrderedFeed] = [:]
        defer { for feed in feeds.values { feed.discard() } }
        var waiting: [Job] = []
        for job in jobs {
            let number = job.table.number
            if job.applied == nil {
                views[number] = try make(job)
            } else {
                try beginWriting(job.table)
                views[number] = job.table.view
                waiting.append(job)
            }
            if case .ordered(let view)? = views[number] {
                if isReadOnly { view.buildingBase = building(job.table) }
                feeds[number] = try OrderedFeed(
                    number, RunMaker(files: files, identity: view.identity),
                    path: view.buildingPath())
            }
            if job.applied == nil { add(job, views, feeds, to: &applier) }
        }
        if let snapshot = source.snapshot {
            let wanted = Set(jobs.filter { $0.applied == nil }.map(\.table.number))
            try apply(snapshot, wanted, to: &applier, views)
        }
        try source.forEachCommit(upTo: lastCommit) { commit throws(BackendError) in
            for job in waiting where (job.applied ?? 0) < commit.number {
                add(job, views, feeds, to: &applier)
            }
            waiting.removeAll { ($0.applied ?? 0) < commit.number }
            try commit.forEachBody { bytes throws(BackendError) in
                try reserve(Meter(bytes).changes, in: views, &applier)
                applier.apply(bytes)
            }
        }
        if let table = applier.failed.first, let view = views[table] {
            throw .viewUnavailable(path: view.path, cause: "a change did not succeed")
        }
        for job in jobs {
            guard let view = views[job.table.number] else { continue }
            if case .ordered(let view) = view, let feed = feeds[job.table.number] {
                try finish(job, view, feed, lastCommit)
            } else {
                try finish(job, view)
            }
        }
    }

    private func add(
        _ job: Job, _ views: [TableNumber: Table.View], _ feeds: [TableNumber: OrderedFeed],
        to applier: inout Applier
    ) {
        if let feed = feeds[job.table.number] {
            applier.add(job.table.number, feed)
        } else if let view = views[job.table.number] {
            applier.add(job.table, view)
        }
    }

    /// Applies what a snapshot holds of some tables, seeing to room for a piece at a time.
    private func apply(
        _ snapshot: SnapshotReader, _ wanted: Set<TableNumber>, to applier: inout Applier,
        _ views: [TableNumber: Table.View]
    ) throws(BackendError) {
        var table: TableNumber?
        var left = Changes()
        try snapshot.forEachOperation(in: wanted) { operation throws(BackendError) in
            let number: TableNumber
            let size: UInt64
            switch operation {
            case .putRow(let table, _, let stored):
                (number, size) = (table, UInt64(DecimalKey.longest + stored.count))
            case .putKey(let table, let key, let stored):
                (number, size) = (table, UInt64(key.count + stored.count))
            default: return
            }
            if number != table || left.operations == 0 || left.bytes < size {
                table = number
                left = Changes(operations: 4096, bytes: max(1 << 20, size))
                try reserve([number: left], in: views, &applier)
            }
            left.operations -= 1
            left.bytes -= size
            applier.apply(operation)
        }
    }

    /// Operations on rows or keys, and the bytes of what they put.
    private struct Changes: Hashable {
        var operations: UInt64 = 0
        var bytes: UInt64 = 0
    }

    /// Counts what tables get, so that there is room before it comes.
    private struct Meter {
        private(set) var changes: [TableNumber: Changes] = [:]
        private var table: TableNumber = 0
        private var recent = Changes()

        init(_ operations: UnsafeRawBufferPointer) {
            var reader = OperationReader(operations)
            while let operation = reader.next() {
                switch operation {
                case .putRow(let table, _, let stored):
                    add(table, DecimalKey.longest + stored.count)
                case .putKey(let table, let key, let stored): add(table, key.count + stored.count)
                case .deleteRow(let table, _), .deleteKey(let table, _): add(table, 0)
                case .define, .drop, .note, .unknown: break
                }
            }
            note()
        }

        /// Operations on one table mostly follow each other.
        @inline(__always)
        private mutating func add(_ table: TableNumber, _ size: Int) {
            if table != self.table {
                note()
                self.table = table
            }
            recent.operations += 1
            recent.bytes += UInt64(size)
        }

        private mutating func note() {
            guard recent.operations > 0 else { return }
            changes[table, default: .init()].operations += recent.operations
            changes[table, default: .init()].bytes += recent.bytes
            recent = .init()
        }
    }

    private func make(_ job: Job) throws(BackendError) -> Table.View {
        let path = building(job.table)
        switch job.table.kind {
        case .record, .named:
            let file = try HashFile(
                making: path, HashSizing(count: job.count, bytes: job.bytes * 2), room: 0,
                files: files)
            return .hash(file)
        case .ordered:
            return .ordered(
                OrderedView(
                    RunIdentity(
                        store: store, table: job.table.number, flags: job.table.definition.flags),
                    base: pathOf(job.table), buildingBase: path))
        }
    }

    private func beginWriting(_ table: Table) throws(BackendError) {
        switch table.view {
        case .hash(let file):
            try file.beginWriting()
            if let address = file.markAddress { ViewMark.setBusy(at: address) }
        case .ordered: break
        case .unavailable(let path, let cause):
            throw .viewUnavailable(path: path, cause: cause)
        }
    }

    /// Sees to room for changes. A file that outgrows its map is opened again.
    private func reserve(
        _ changes: [TableNumber: Changes], in views: [TableNumber: Table.View],
        _ applier: inout Applier
    ) throws(BackendError) {
        for (table, changes) in changes {
            switch views[table] {
            case .hash(let file):
                file.noteGrowth()
                let more = HashSizing.growth(
                    puts: changes.operations, bytes: changes.bytes, files)
                try file.reserve(upTo: file.image.end + more)
                applier.renew(file, of: table)
            case .ordered, .unavailable, nil: break
            }
        }
    }

    private func finish(_ job: Job, _ view: Table.View) throws(BackendError) {
        let table = job.table
        let mark = ViewMark(
            store: store, applied: table.lastCommit, synced: syncedCommit, table: table.definition)
        switch view {
        case .hash(let file):
            if table.hidesMetadata { try LegacyMetadata.write(table, to: file) }
            if let address = file.markAddress { mark.write(at: address) }
            file.noteGrowth()
            try file.endWriting()
        case .ordered, .unavailable: break
        }
        if job.applied == nil {
            let path = pathOf(table)
            try files.remove(path + ".wal")
            // The library opens a file once in a process: what was open under the name goes first.
            table.view = .unavailable(path: path, cause: "it is being replaced")
            try view.move(to: path)
            table.view = view
        }
        table.changes += 1
        table.seal = nil
    }

    /// Ends what a feed has brought to an ordered table. Once rebuilt, the table is in files that
    /// later openings trust.
    private func finish(
        _ job: Job, _ view: OrderedView, _ feed: OrderedFeed, _ lastCommit: CommitNumber
    ) throws(BackendError) {
        let table = job.table
        let outcome = try feed.finish(below: view.snapshot)
        try view.take(
            outcome, of: lastCommit, RunMaker(files: files, identity: view.identity))
        feed.isTaken = true
        if job.applied == nil {
            try Settling.settle(view, upTo: lastCommit, files)
            try removeOldRuns(of: view)
            table.view = .ordered(view)
        } else if !isReadOnly, job.isSettled || view.layers.contains(where: { !$0.isDurable }) {
            try Settling.settle(view, upTo: lastCommit, files)
        }
        table.changes += 1
        table.seal = nil
    }

    /// Removes the table's files that are no layers of `view`.
    private func removeOldRuns(of view: OrderedView) throws(BackendError) {
        let used = Set(view.layers.compactMap(\.path))
        let all = try RunFiles(files: files, directory: RunName.directory(of: view.base))
        for path in all.paths(of: view.identity.table) where !used.contains(path) {
            try files.remove(path)
        }
    }

    static func open(
        _ path: String, _ files: any FileLayer
    ) throws(BackendError) -> Table.View {
        if let file = try HashFile(reading: path, files: files) { return .hash(file) }
        throw .viewUnavailable(path: path, cause: "it could not be opened")
    }
}
