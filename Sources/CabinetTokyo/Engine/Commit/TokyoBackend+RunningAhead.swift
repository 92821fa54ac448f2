import CabinetBackend

// Filling the views of new tables before the commit that makes them; all with the turn.
extension TokyoBackend {
    /// Sends the forerunner after a chunk that has just been written to the log.
    func runAhead(_ batch: WriteBatch, _ frame: StagedFrame) {
        guard let current = commitLog.current else { return }
        let first = frame.tables.subtracting(stagedTables)
        stagedTables.formUnion(first)
        if forerunner == nil, !mayRunAhead(first, batch) { return }
        // Chunks before the first one that it gets are the commit's.
        let isLate = forerunner == nil && staged.count > 1
        let runner =
            forerunner
            ?? Forerunner(files: files, store: commitLog.store, segment: current.number)
        forerunner = runner
        do throws(BackendError) {
            for number in first {
                if kind(of: number, in: batch) == .ordered {
                    try startFeeding(number, batch, runner)
                } else {
                    try startFilling(number, batch, runner)
                }
            }
            let rooms = try reserveSpace(in: runner, for: batch)
            let isReadAgain = isLate || frame.tables.contains { !runner.contains($0) }
            runner.apply(
                Forerunner.Chunk(
                    file: current.file, frame: frame, rooms: rooms, isReadAgain: isReadAgain))
        } catch {
            // The commit will make those views, or say why it cannot.
            abandonForerunner()
        }
    }

    private func mayRunAhead(_ tables: Set<TableNumber>, _ batch: WriteBatch) -> Bool {
        !isForerunnerOver
            && tables.contains {
                table($0) == nil && batch.expectedPuts(in: $0) > 0
                    || kind(of: $0, in: batch) == .ordered
            }
    }

    private func kind(of number: TableNumber, in batch: WriteBatch) -> TableKind? {
        table(number)?.kind ?? batch.definitions.last { $0.number == number }?.kind
    }

    /// Begins to sort what the batch changes of an ordered table.
    private func startFeeding(
        _ number: TableNumber, _ batch: WriteBatch, _ runner: Forerunner
    ) throws(BackendError) {
        let view = try table(number)?.ordered()
        let flags =
            view?.identity.flags ?? batch.definitions.last { $0.number == number }?.flags ?? []
        let identity = RunIdentity(store: commitLog.store, table: number, flags: flags)
        let path = view?.buildingPath() ?? paths.building(number)
        runner.take(
            try OrderedFeed(number, RunMaker(files: files, identity: identity), path: path),
            below: lock.reading { view?.snapshot ?? OrderedLayers() })
    }

    /// Makes the view of a table that the batch makes and that the current chunk is the first to
    /// change, if it is known how much it will hold.
    private func startFilling(
        _ number: TableNumber, _ batch: WriteBatch, _ runner: Forerunner
    ) throws(BackendError) {
        var use = batch.usage(of: number)
        // The catalog is small, whatever the rest is.
        let expected = number == .catalog ? use.puts : batch.expectedPuts(in: number)
        guard table(number) == nil, expected > 0, use.puts > 0,
            let definition = (TableDefinition.builtIn + batch.definitions)
                .last(where: { $0.number == number })
        else { return }
        // What was put so far shows how large the rest is.
        let total = max(min(expected, Self.mostExpected), use.puts)
        use.bytes = Int(Double(use.bytes) / Double(use.puts) * Double(total) * 1.125)
        use.puts = total
        let table = try makeTable(definition, use)
        if case .hash(let file) = table.view, let address = file.markAddress {
            ViewMark.setBusy(at: address)
        }
        runner.take(table)
    }

    /// Whatever a batch says, no view is made for more than so many values.
    private static var mostExpected: Int { 1 << 26 }

    /// Reserves room for all that the batch holds so far, without touching what the forerunner
    /// is using. Returns how far the files may reach.
    private func reserveSpace(
        in runner: Forerunner, for batch: WriteBatch
    ) throws(BackendError) -> [(table: TableNumber, size: UInt64)] {
        var rooms: [(table: TableNumber, size: UInt64)] = []
        for (number, table) in runner.tables {
            let use = batch.usage(of: number)
            let file = try table.hash()
            guard UInt64(use.puts) <= file.image.bucketCount,
                let size = try file.reserveAside(
                    HashSizing.growth(puts: UInt64(use.puts), bytes: UInt64(use.bytes), files))
            else { throw .viewUnavailable(path: file.path, cause: "it outgrew what was expected") }
            rooms.append((number, size))
        }
        return rooms
    }

    /// Sees whether what the forerunner does is what the whole batch wants, and to room for that.
    func checkForerunner(_ batch: WriteBatch) {
        guard let runner = forerunner else { return }
        do throws(BackendError) {
            for (number, table) in runner.tables {
                let definition = (TableDefinition.builtIn + batch.definitions)
                    .last { $0.number == number }
                guard let definition, !batch.drops.contains(number),
                    definition.kind == table.kind
                else { return abandonForerunner() }
                try reserveBytes(at: paths.view(of: definition))
                table.entry.definition = definition
            }
            _ = try reserveSpace(in: runner, for: batch)
        } catch {
            abandonForerunner()
        }
    }

    /// The device begins to write the log when this much of a save was added: 8 MiB.
    private static let writeBackStep: UInt64 = 8 << 20

    /// This much of the log stays in memory behind a large save: 32 MiB.
    private static let logInMemory: UInt64 = 32 << 20

    /// Lets the device write the log of a large save while the save goes on: the sync that the
    /// commit waits for finds less to do. What is on the device then, and in the views, makes room
    /// in memory for what follows: pages that were in use just now come cheaper than others.
    func writeBackLog(_ frame: StagedFrame) {
        guard let current = commitLog.current,
            frame.offset / Self.writeBackStep != (frame.offset + frame.size) / Self.writeBackStep
        else { return }
        let path = paths.segment(current.number)
        beginWriteBack([path])
        guard let done = forerunner?.end, done > Self.logInMemory else { return }
        let files = files
        upkeep.queue.async { files.letGo(of: path, upTo: done - Self.logInMemory) }
    }

    /// Lets the device write views that a large save has changed, which closing the store would
    /// have to wait for.
    func writeBackViews(of plan: ViewPlan) {
        beginWriteBack(
            (plan.existing + plan.new).compactMap { table in
                if case .hash(let file) = table.view { file.path } else { nil }
            })
    }

    /// Beginning takes time too: it is done beside saves.
    private func beginWriteBack(_ paths: [String]) {
        let files = files
        upkeep.queue.async { for path in paths { files.beginWriteBack(path) } }
    }

    /// Stops the forerunner and throws away what it has made.
    func abandonForerunner() {
        guard let runner = forerunner else { return }
        forerunner = nil
        isForerunnerOver = true
        runner.cancel()
        for table in runner.tables.values {
            let path = paths.building(table.number)
            table.view = .unavailable(path: path, cause: "its commit failed")
            // What stays is removed at the next recovery.
            try? files.remove(path)
        }
    }

    /// Waits until the forerunner has caught up with a commit, which exists now.
    func endForerunner() -> Forerunner.Result {
        guard let runner = forerunner else { return Forerunner.Result() }
        forerunner = nil
        let result = runner.wait()
        for table in runner.tables.values {
            if case .hash(let file) = table.view { file.useReserved() }
        }
        return result
    }
}
