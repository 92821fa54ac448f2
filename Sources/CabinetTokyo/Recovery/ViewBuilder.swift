import CabinetBackend

/// Makes view files from the log, or brings them up to it.
struct ViewBuilder {
    let files: any FileLayer
    let store: UInt64
    let syncedLSN: CommitNumber
    /// Where a finished view of the table goes; it is built aside and renamed.
    let place: (Table) -> String
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

    /// Does all jobs in one reading of the log up to `lastLSN`. After a throw no table has
    /// changed its file, except those that were brought up to date, which are busy.
    func run(
        _ jobs: [Job], from source: LogSource, upTo lastLSN: CommitNumber
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
            var meter = Meter()
            try snapshot.forEachOperation(in: wanted) { operation throws(BackendError) in
                if let due = meter.add(operation) { try reserve(due, in: views) }
                applier.apply(operation)
            }
        }
        try source.forEachCommit(upTo: lastLSN) { commit throws(BackendError) in
            for job in waiting where (job.applied ?? 0) < commit.lsn {
                applier.add(job.table, job.table.view)
            }
            waiting.removeAll { ($0.applied ?? 0) < commit.lsn }
            try commit.forEachBody { bytes throws(BackendError) in
                try reserve(UInt64(bytes.count), in: views)
                applier.apply(bytes)
            }
        }
        if let table = applier.failed.first, let view = views[table] {
            throw .viewUnavailable(path: Self.path(of: view), cause: "a change did not succeed")
        }
        for job in jobs {
            guard let view = views[job.table.number] else { continue }
            try finish(job, view)
        }
    }

    /// Counts operations until it is time to see to the room for more.
    private struct Meter {
        private var bytes = 0
        private static let step = 4 << 20

        init() { bytes = Self.step }

        /// How many bytes are going to come before the next time.
        mutating func add(_ operation: Operation) -> UInt64? {
            let size: Int
            switch operation {
            case .putRow(_, _, let stored): size = stored.count + 15
            case .putKey(_, let key, let stored): size = key.count + stored.count + 15
            default: size = 15
            }
            bytes += size
            guard bytes >= Self.step else { return nil }
            bytes = size
            return UInt64(Self.step + size)
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
                try OrderedFile(making: path, count: job.count, room: 0, files: files))
        }
    }

    private func beginWriting(_ table: Table) throws(BackendError) {
        switch table.view {
        case .hash(let file):
            try file.beginWriting()
            if let place = file.markPlace { ViewMark.setBusy(at: place) }
        case .ordered(let file):
            try file.beginWriting()
            file.setBusy()
        case .unavailable(let path, let cause):
            throw .viewUnavailable(path: path, cause: cause)
        }
    }

    /// Sees to room for operations of `bytes` bytes, whichever tables they are for.
    private func reserve(
        _ bytes: UInt64, in views: [TableNumber: Table.View]
    ) throws(BackendError) {
        for view in views.values {
            switch view {
            case .hash(let file):
                file.noteGrowth()
                // The shortest put takes 15 bytes.
                let more = HashSizing.growth(puts: bytes / 15, bytes: bytes)
                try file.reserve(upTo: file.image.end + more)
            case .ordered(let file):
                try file.reserve(more: file.growth(operations: bytes / 15, bytes: bytes))
            case .unavailable: break
            }
        }
    }

    private func finish(_ job: Job, _ view: Table.View) throws(BackendError) {
        let table = job.table
        let mark = ViewMark(
            store: store, applied: table.lastLSN, synced: syncedLSN, table: table.definition)
        switch view {
        case .hash(let file):
            if table.hidesMetadata { try LegacyMetadata.write(table, to: file) }
            if let place = file.markPlace { mark.write(at: place) }
            file.noteGrowth()
            try file.endWriting()
        case .ordered(let file):
            try file.settle(mark)
            try file.endWriting()
        case .unavailable: break
        }
        if job.applied == nil {
            let path = place(table)
            try files.remove(path + ".wal")
            try files.rename(Self.path(of: view), to: path)
            // The library opens a file once in a process: what was open under the name goes first.
            table.view = .unavailable(path: path, cause: "it is being replaced")
            table.view = try Self.open(path, table.kind, files)
        }
        table.changes += 1
        table.seal = nil
    }

    static func open(
        _ path: String, _ kind: TableKind, _ files: any FileLayer
    ) throws(BackendError) -> Table.View {
        switch kind {
        case .record, .named:
            if let file = HashFile(reading: path, files: files) { return .hash(file) }
        case .ordered:
            if let file = OrderedFile(reading: path, files: files) { return .ordered(file) }
        }
        throw .viewUnavailable(path: path, cause: "it could not be opened")
    }

    private static func path(of view: Table.View) -> String {
        switch view {
        case .hash(let file): file.path
        case .ordered(let file): file.path
        case .unavailable(let path, _): path
        }
    }
}
