import CabinetBackend

/// One run of a check: first the log by itself, then the views against it.
final class StoreCheck {
    let backend: TokyoBackend
    let pace: Pace
    var report = EngineReport()

    init(_ backend: TokyoBackend, _ pace: Pace) {
        self.backend = backend
        self.pace = pace
    }

    func run() throws -> EngineReport {
        let frozen: FrozenLog?
        do {
            frozen = try backend.freeze()
        } catch {
            guard let finding = StoreFinding(.damagedSegment, error) else { throw error }
            report.findings.append(finding)
            frozen = nil
        }
        let views = try viewSizes()
        pace.expect((frozen?.size ?? 0) + views)
        if let frozen {
            report.lastSave = frozen.commitNumber
            try readLog(frozen)
            try readSnapshot(frozen)
            if report.findings.isEmpty { try compareViews(frozen) }
        }
        try readViews()
        try readRuns()
        try noteStrangeViews()
        try noteDamagedViews()
        return report
    }

    private func viewSizes() throws -> UInt64 {
        try backend.lock.reading {
            try backend.checkOpen()
            return backend.byNumber.reduce(0) { $0 + UInt64((try? $1?.count()) ?? 0) }
        }
    }

    // MARK: The log

    private func readLog(_ frozen: FrozenLog) throws {
        for link in frozen.links {
            do {
                let reader = CommitReader(
                    try SegmentReader(
                        files: frozen.files, path: link.path, number: link.number,
                        store: frozen.store, limit: link.limit))
                var known: UInt64 = 0
                while let item = try reader.next() {
                    if case .commit = item { report.saves += 1 }
                    pace.advance(reader.offset - known)
                    known = reader.offset
                    try backend.checkPace(pace)
                }
                guard !reader.isAtLimit else { continue }
                report.findings.append(
                    StoreFinding(.damagedFrame, path: link.path, offset: reader.offset))
            } catch let error as BackendError {
                guard let finding = StoreFinding(.damagedFrame, error) else { throw error }
                report.findings.append(finding)
            }
        }
    }

    private func readSnapshot(_ frozen: FrozenLog) throws {
        guard let snapshot = frozen.snapshot else { return }
        do {
            try snapshot.verify(isCancelled: { pace.isStopped || backend.upkeep.isCancelled })
        } catch {
            guard let finding = StoreFinding(.damagedSnapshot, error) else { throw error }
            report.findings.append(finding)
        }
        try backend.checkPace(pace)
        pace.advance(snapshot.footerOffset)
    }

    // MARK: The views

    private func compareViews(_ frozen: FrozenLog) throws {
        // A store that may not be changed gets no file of ours either.
        let temporary = backend.access == .readOnly ? try TemporaryViews(files: backend.files) : nil
        let directory = temporary?.directory ?? backend.paths.log
        let path = directory + "/check.new"
        defer { try? backend.files.remove(path) }
        try frozen.writeSnapshot(to: path, in: directory, pace)
        let truth = try SnapshotReader(
            files: backend.files, path: path, expectedStoreID: frozen.store)
        for table in truth.tables {
            try TableCheck(self, frozen, truth, table).run()
        }
        withExtendedLifetime(temporary) {}
    }

    /// View files that another program has replaced or changed since they were opened: reads are
    /// served from the old ones, and the next save, or closing the store, rebuilds them. Where the store is only
    /// read, a writer that came later has put its own there.
    private func noteStrangeViews() throws {
        if backend.access == .readOnly { return }
        report.findings += try backend.lock.reading {
            try backend.checkOpen()
            var found: [StoreFinding] = []
            for table in backend.byNumber {
                guard let table, try table.strangeness(in: nil, backend.files) != nil else {
                    continue
                }
                let path = backend.paths.view(of: table.definition)
                found.append(StoreFinding(.damagedView, path: path, table: table.number))
            }
            return found
        }
    }

    /// What a store that is only read serves from elsewhere.
    private func noteDamagedViews() throws {
        guard backend.access == .readOnly else { return }
        report.findings += try backend.lock.reading {
            try backend.checkOpen()
            return backend.damagedViews.inOrder().compactMap { number in
                backend.table(number).map { table in
                    let path = backend.paths.view(of: table.definition)
                    return StoreFinding(.damagedView, path: path, table: number)
                }
            }
        }
    }

    /// Reads every block of the runs of ordered tables.
    private func readRuns() throws {
        let runs = try backend.lock.reading { () -> [(TableNumber, OrderedLayer)] in
            try backend.checkOpen()
            return backend.byNumber.flatMap { table -> [(TableNumber, OrderedLayer)] in
                guard let table, case .ordered(let view) = table.view else { return [] }
                return view.layers.map { (table.number, $0.content) }
            }
        }
        for (number, layer) in runs {
            do {
                try layer.openRun()?.verify()
            } catch BackendError.corrupt(let path, let offset) {
                report.findings.append(
                    StoreFinding(.damagedView, path: path, offset: offset, table: number))
            }
            try backend.checkPace(pace)
        }
    }

    /// Looks at every record as it stands in the hash files, whether it can be found or not.
    private func readViews() throws {
        let numbers = try backend.lock.reading {
            try backend.checkOpen()
            return backend.byNumber.compactMap { $0 }.filter { $0.kind != .ordered }.map(\.number)
        }
        for number in numbers {
            var found: [StoreFinding] = []
            let end = try backend.walkBlocks(of: number, pace) {
                found = []
            } each: { block, offset, table in
                guard case .record(let record) = block else { return }
                let isRight = table.values.isSound(record)
                let row = table.kind == .record ? Table.row(of: record.key, table.keyForm) : nil
                guard !isRight || (table.kind == .record && row == nil) else { return }
                found.append(
                    StoreFinding(
                        .damagedRecord, path: backend.paths.view(of: table.definition),
                        offset: offset, table: number, row: row,
                        key: row == nil ? Array(record.key) : nil))
            }
            switch end {
            case .finished, .gone: break
            case .damaged(let path, let offset):
                found.append(
                    StoreFinding(.damagedRecord, path: path, offset: offset, table: number))
            case .unreadable(let path):
                found.append(StoreFinding(.unreadableView, path: path, table: number))
            }
            let known = Set(report.findings.filter { $0.table == number })
            report.findings += found.filter { new in
                !known.contains { $0.kind == new.kind && $0.row == new.row && $0.key == new.key }
            }
        }
    }
}
