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

    /// A table to be built anew, with a guess at what it will hold.
    struct Job {
        var table: Table
        var count: UInt64 = 0
        var bytes: UInt64 = 0
        /// For a view that needs the commits behind this one only.
        var applied: CommitNumber?
    }

    /// Does all jobs in one reading of the log up to `lastCommit`. After a throw no table has
    /// changed its file, except those that were brought up to date, which are busy.
    func run(
        _ jobs: [Job], from source: LogSource, upTo lastCommit: CommitNumber
    ) throws(BackendError) {
        guard !jobs.isEmpty else { return }
        let highest = jobs.map(\.table.number).max() ?? 0
        var applier = Applier(highest: highest)
        var views: [TableNumber: Table.View] = [:]
        var waiting: [Job] = []
        for job in jobs {
            if job.applied == nil {
                let view = try make(job)
                views[job.table.number] = view
                applier.add(job.table, view)
            } else {
                try beginWriting(job.table)
                views[job.table.number] = job.table.view
                waiting.append(job)
            }
        }
        if let snapshot = source.snapshot {
            let wanted = Set(jobs.filter { $0.applied == nil }.map(\.table.number))
            try apply(snapshot, wanted, to: &applier, views)
        }
        try source.forEachCommit(upTo: lastCommit) { commit throws(BackendError) in
            for job in waiting where (job.applied ?? 0) < commit.number {
                applier.add(job.table)
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
            try finish(job, view)
        }
    }

    /// Applies what a snapshot holds of some tables, seeing to room for a piece at a time.
    private func apply(
        _ snapshot: SnapshotReader, _ wanted: Set<TableNumber>, to applier: inout Applier,
        _ views: [TableNumber: Table.View]
    ) throws(BackendError) {
        var table: TableNumber?
        var left = OrderedFile.Changes()
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
                left = OrderedFile.Changes(operations: 4096, bytes: max(1 << 20, size))
                try reserve([number: left], in: views, &applier)
            }
            left.operations -= 1
            left.bytes -= size
            applier.apply(operation)
        }
    }

    /// Counts what tables get, so that there is room before it comes.
    private struct Meter {
        private(set) var changes: [TableNumber: OrderedFile.Changes] = [:]
        private var table: TableNumber = 0
        private var recent = OrderedFile.Changes()

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
                try OrderedFile(making: path, count: job.count, files: files))
        }
    }

    private func beginWriting(_ table: Table) throws(BackendError) {
        switch table.view {
        case .hash(let file):
            try file.beginWriting()
            if let address = file.markAddress { ViewMark.setBusy(at: address) }
        case .ordered(let file):
            try file.beginWriting()
            file.setBusy()
        case .unavailable(let path, let cause):
            throw .viewUnavailable(path: path, cause: cause)
        }
    }

    /// Sees to room for changes. A file that outgrows its map is opened again.
    private func reserve(
        _ changes: [TableNumber: OrderedFile.Changes], in views: [TableNumber: Table.View],
        _ applier: inout Applier
    ) throws(BackendError) {
        for (table, changes) in changes {
            switch views[table] {
            case .hash(let file):
                file.noteGrowth()
                let more = HashSizing.growth(puts: changes.operations, bytes: changes.bytes)
                try file.reserve(upTo: file.image.end + more)
                applier.renew(file, of: table)
            case .ordered(let file): try file.reserve(for: changes)
            case .unavailable, nil: break
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
        case .ordered(let file):
            try file.flush(mark)
            try file.endWriting()
        case .unavailable: break
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

    static func open(
        _ path: String, _ kind: TableKind, _ files: any FileLayer
    ) throws(BackendError) -> Table.View {
        switch kind {
        case .record, .named:
            if let file = try HashFile(reading: path, files: files) { return .hash(file) }
        case .ordered:
            if let file = try OrderedFile(reading: path, files: files) { return .ordered(file) }
        }
        throw .viewUnavailable(path: path, cause: "it could not be opened")
    }
}
