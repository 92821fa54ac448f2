import CabinetBackend

/// What has become of a batch.
struct CommitOutcome {
    let number: CommitNumber
    /// What the caller asked to be held: the commit, or a later one.
    var hold: Hold?

    init(_ number: CommitNumber) { self.number = number }
}

/// A batch that may go to the log: it was checked, and the views have room for it.
struct ReadyCommit {
    let batch: WriteBatch
    /// The tables that it changes.
    let plan: ViewPlan

    /// What the commit frame says of the batch.
    var flags: FrameFlags {
        var flags: FrameFlags = batch.changesTables ? .changesTables : []
        if batch.noteCount > 0 { flags.insert(.hasNotes) }
        return flags
    }

    /// The tables that it changes, as a frame shows them.
    var tables: UInt64 { TokyoBackend.bitmap(of: batch) }
}

extension TokyoBackend {
    /// Checks a batch, adds what the catalog is to remember of it, and makes room in the views; with the
    /// turn.
    ///
    /// - Parameter group: commits that come before it, and are not in the views yet.
    func prepare(
        _ batch: WriteBatch, after group: CommitGroup = CommitGroup()
    ) throws(BackendError) -> ReadyCommit {
        try check(batch)
        try prepareLog()
        try stageRest(of: batch)
        let operations = batch.operationCount
        try addCatalogEntries(to: batch, after: group)
        if batch.operationCount > operations { try check(batch) }
        endChecking()
        checkForerunner(batch)
        let plan = try lock.writing { () throws(BackendError) in try planViews(for: batch) }
        return ReadyCommit(batch: batch, plan: plan)
    }

    /// Makes the log ready: the stretch of use begun, the segment sound and not too long.
    func prepareLog() throws(BackendError) {
        if isLegacy { try adopt() }
        try commitLog.prepare(try newSession(), tables: tableStates)
        guard commitLog.staged == nil, let end = commitLog.current?.end, end > Self.segmentLimit
        else {
            return
        }
        try commitLog.roll(tables: tableStates)
    }

    /// Ends the checks of a batch. The draft holds on to the tables. It will do for the next batch
    /// if they stay.
    private func endChecking() {
        if draft?.changesTables == false { draft?.startNextChunk() } else { draft = nil }
    }

    /// Adds what the store must remember of the batch beside its operations.
    private func addCatalogEntries(
        to batch: WriteBatch, after group: CommitGroup
    ) throws(BackendError) {
        if commitLog.lastCommit == 0 {
            try batch.putCatalog(StoreEntry(commitLog.store).json(), for: CatalogKey.store)
        }
        if isLineDue {
            let line = CommitLine(number: commitLog.line, first: commitLog.lastCommit.next)
            try batch.putCatalog(LineList.bytes(of: lineList + [line]), for: CatalogKey.lines)
        }
        for use in batch.usage
        where use.highestRow
            > max(
                table(use.table)?.highestRow ?? 0, group.usage(of: use.table).highestRow)
        {
            try batch.putCatalog(
                CatalogKey.counter(use.highestRow.rawValue), for: CatalogKey.rows(use.table))
        }
        if batch.changesTables { try addTableEntries(to: batch) }
    }

    /// Adds the entries of the tables that the batch defines or drops.
    private func addTableEntries(to batch: WriteBatch) throws(BackendError) {
        var highest = highestTable
        for definition in batch.definitions {
            var entry = table(definition.number)?.entry ?? CatalogEntry(definition)
            entry.definition = definition
            try batch.putCatalog(entry.json(), for: CatalogKey.table(definition.number))
            highest = max(highest, definition.number)
        }
        for number in batch.drops {
            try batch.deleteCatalog(CatalogKey.table(number))
            try batch.deleteCatalog(CatalogKey.rows(number))
        }
        if let dropped = droppedTables(after: batch) {
            let bytes = dropped.bytes
            if bytes.isEmpty {
                try batch.deleteCatalog(CatalogKey.dropped)
            } else {
                try batch.putCatalog(bytes, for: CatalogKey.dropped)
            }
        }
        if highest > highestTable {
            try batch.putCatalog(
                CatalogKey.counter(UInt32(highest.rawValue)), for: CatalogKey.tables)
        }
    }
}
