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
        try makeCommit(batch, freezing: nil, meanwhile: body).number
    }

    public func commit(
        _ batch: WriteBatch, freezing label: String, meanwhile body: () -> Void
    ) throws(BackendError) -> (number: CommitNumber, reader: (any BackendReader)?) {
        let outcome = try makeCommit(batch, freezing: label, meanwhile: body)
        return (outcome.number, outcome.hold.map { FrozenTokyo(self, $0) })
    }

    /// Commits a batch; with a label, a reader holds the last commit from then on.
    private func makeCommit(
        _ batch: WriteBatch, freezing label: String?, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitOutcome {
        try checkProcess()
        let owner: AnyObject = batch.sink as? Staging ?? batch
        defer { (owner as? Staging)?.end() }
        if let failure = (owner as? Staging)?.failure { throw failure }
        SchedulePoint.commit.pass()
        let shared = try turn.take(
            for: owner, toCommit: batch, label: label, isShared: durability == .full)
        if let shared {
            let outcome = try shared.get()
            body()
            subscribers.deliver()
            return outcome
        }
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
            return CommitOutcome(commitLog.lastCommit)
        }
        if let small = tablesOfSmallCommit(batch) {
            try prepareLog()
            // Others come to wait for the turn.
            SchedulePoint.commit.pass()
            let outcome: CommitOutcome
            if mayBeShared(batch) {
                outcome = try commitTogether(
                    ReadyCommit(batch, to: small), freezing: label, meanwhile: body)
            } else {
                outcome = try commitSmall(batch, to: small, freezing: label, meanwhile: body)
                subscribers.enqueue(outcome.number)
            }
            isDone = true
            return outcome
        }
        try check(batch)
        try prepareLog()
        try stageRest(of: batch)
        let operations = batch.operationCount
        try addCatalogEntries(to: batch)
        if batch.operationCount > operations { try check(batch) }
        endChecking()
        checkForerunner(batch)
        let usage = batch.usage
        let plan = try lock.writing { () throws(BackendError) in
            try planViews(for: batch, usage)
        }
        SchedulePoint.commit.pass()
        if mayBeShared(batch), forerunner == nil {
            let outcome = try commitTogether(
                ReadyCommit(batch, plan, usage), freezing: label, meanwhile: body)
            isDone = true
            return outcome
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
        isLineDue = false
        body()
        let ahead = endForerunner()
        var outcome = CommitOutcome(commitNumber)
        lock.writing {
            apply(batch, plan, commitNumber, ahead: ahead)
            outcome.hold = hold(for: label)
        }
        if !staged.isEmpty { writeBackViews(of: plan) }
        forgetStaged()
        noteCommit(dropsTables: !batch.drops.isEmpty)
        subscribers.enqueue(commitNumber)
        isDone = true
        return outcome
    }

    /// What the commit frame of a batch says of it.
    static func flags(of batch: WriteBatch) -> FrameFlags {
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

    /// Ends the checks of a batch. The draft holds on to the tables. It will do for the next batch
    /// if they stay.
    func endChecking() {
        if draft?.changesTables == false { draft?.startNextChunk() } else { draft = nil }
    }

    /// Adds what the store must remember of the batch beside its operations.
    ///
    /// - Parameter group: commits that come before it, and are not in the views yet.
    func addCatalogEntries(
        to batch: WriteBatch, after group: CommitGroup = CommitGroup()
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

    public func sync() throws(BackendError) {
        try checkProcess()
        try lock.reading { () throws(BackendError) in try checkOpen() }
        guard access == .readWrite else { return }
        let owner = Syncer()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        try lock.reading { () throws(BackendError) in try checkOpen() }
        try commitLog.sync(tables: tableStates)
    }

    /// Stands for a caller that takes the turn for a moment.
    private final class Syncer {}
}
