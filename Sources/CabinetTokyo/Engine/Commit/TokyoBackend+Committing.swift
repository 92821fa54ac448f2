import CabinetBackend

extension TokyoBackend {
    /// A segment is closed when it has grown to this many bytes: 64 MiB.
    static let segmentLimit: UInt64 = 64 << 20

    @discardableResult
    public func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        try commit(batch, meanwhile: {})
    }

    @discardableResult
    public func commit(
        _ batch: WriteBatch, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber {
        try checkProcess()
        let owner: AnyObject = batch.sink as? Staging ?? batch
        defer { (owner as? Staging)?.end() }
        if let failure = (owner as? Staging)?.failure { throw failure }
        try turn.take(for: owner)
        var isDone = false
        // After success there is nothing to take back.
        defer {
            if isDone {
                turn.giveBack(owner)
                subscribers.deliver()
            } else {
                giveUp(owner)
            }
        }
        // The thread that has the turn needs no lock to see whether the store is open.
        try checkOpen()
        guard access == .readWrite else { throw .readOnly(path: location) }
        if batch.hasDemands(after: commitLog.lastCommit) { try resolve(batch) }
        guard !batch.isEmpty else {
            body()
            isDone = true
            return commitLog.lastCommit
        }
        if let small = tablesOfSmallCommit(batch) {
            try prepareLog()
            let commitNumber = try commitSmall(batch, to: small, meanwhile: body)
            subscribers.enqueue(commitNumber)
            isDone = true
            return commitNumber
        }
        try check(batch)
        try prepareLog()
        try stageRest(of: batch)
        let operations = batch.operationCount
        try addCatalogEntries(to: batch)
        if batch.operationCount > operations { try check(batch) }
        // The draft holds on to the tables. It will do for the next batch if they stay.
        if draft?.changesTables == false { draft?.startNextChunk() } else { draft = nil }
        checkForerunner(batch)
        let usage = batch.usage
        let plan = try lock.writing { () throws(BackendError) in
            try planViews(for: batch, usage)
        }
        forerunner?.finishFeeds()
        let commitNumber: CommitNumber
        do throws(BackendError) {
            commitNumber = try commitLog.commit(
                Self.frame(of: batch), flags: Self.flags(of: batch), author: batch.author,
                tables: Self.bitmap(of: batch, usage), states: tableStates)
        } catch {
            abandonForerunner()
            plan.discard(files)
            throw error
        }
        // The commit exists. Nothing below fails, and the forerunner may have much to do yet.
        body()
        let ahead = endForerunner()
        lock.writing { apply(batch, plan, commitNumber, ahead: ahead) }
        if !staged.isEmpty { writeBackViews(of: plan) }
        forgetStaged()
        noteCommit()
        subscribers.enqueue(commitNumber)
        isDone = true
        return commitNumber
    }

    /// What the commit frame of a batch says of it.
    private static func flags(of batch: WriteBatch) -> FrameFlags {
        var flags: FrameFlags = batch.changesTables ? .changesTables : []
        if batch.noteCount > 0 { flags.insert(.hasNotes) }
        return flags
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

    /// Adds what the store must remember of the batch beside its operations.
    private func addCatalogEntries(to batch: WriteBatch) throws(BackendError) {
        if commitLog.lastCommit == 0 {
            try batch.putCatalog(StoreEntry(commitLog.store).json(), for: CatalogKey.store)
        }
        for use in batch.usage where use.highestRow > table(use.table)?.highestRow ?? 0 {
            try batch.putCatalog(
                CatalogKey.counter(use.highestRow.rawValue), for: CatalogKey.rows(use.table))
        }
        guard batch.changesTables else { return }
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
        if highest > highestTable {
            try batch.putCatalog(
                CatalogKey.counter(UInt32(highest.rawValue)), for: CatalogKey.tables)
        }
    }

    public func sync() throws(BackendError) {
        try checkProcess()
        try lock.reading { () throws(BackendError) in try checkOpen() }
        guard access == .readWrite else { return }
        try turn.take(for: self)
        defer { turn.giveBack(self) }
        try lock.reading { () throws(BackendError) in try checkOpen() }
        try commitLog.sync(tables: tableStates)
    }
}
