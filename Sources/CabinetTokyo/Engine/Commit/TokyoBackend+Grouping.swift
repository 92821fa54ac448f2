import CabinetBackend

// Commits that share one sync. While a commit waits for the disk, others wait for the turn: the next
// thread that has it brings the frames of all into the log, one behind the other, syncs once, and
// then applies them in that order. So no read sees a commit that a failing sync takes back.
extension TokyoBackend {
    /// A thread whose batch has become one of a group's.
    private typealias Member = (waiter: WriterTurn.Waiter, commit: ReadyCommit)
    private typealias Ended = (waiter: WriterTurn.Waiter, outcome: WriterTurn.Outcome)

    /// Whether a batch, checked and ready for the log, may share its sync with batches that wait;
    /// with the turn.
    @inline(__always)
    func mayBeShared(_ batch: WriteBatch) -> Bool {
        turn.hasWaitingBatches && isGroupable(batch)
    }

    @inline(never)
    private func isGroupable(_ batch: WriteBatch) -> Bool {
        durability == .full && staged.isEmpty && commitLog.staged == nil
            && !isLineDue && commitLog.lastCommit > 0 && batch.stagedChunks == 0
            && batch.chunkSize <= CommitGroup.longestBatch && changesNoTable(batch)
    }

    /// Commits a batch and those that wait, as far as they can come behind it, with one sync. All
    /// others of them go on waiting, and the next one to have the turn begins the next group.
    ///
    /// - Throws: why `first` was not committed. If that is the sync, none of them was.
    func commitTogether(
        _ first: ReadyCommit, freezing label: String?, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitOutcome {
        var group = CommitGroup()
        do throws(BackendError) {
            try append(first, to: &group)
        } catch {
            commitLog.dropAppended(states: tableStates)
            throw error
        }
        var ended: [Ended] = []
        let members = gather(&group, &ended)
        do throws(BackendError) {
            try commitLog.syncAppended(states: tableStates)
        } catch {
            turn.end(ended + members.map { ($0.waiter, .failure(error)) })
            throw error
        }
        body()
        var outcome = CommitOutcome(commitLog.lastCommit.next)
        lock.writing {
            applyNext(first)
            let made = members.map { applyNext($0.commit) }
            // All hold the last of the commits, so none has to take up the others' once more.
            outcome.hold = hold(for: label)
            for (member, number) in zip(members, made) {
                var outcome = CommitOutcome(number)
                outcome.hold = hold(for: member.waiter.label)
                ended.append((member.waiter, .success(outcome)))
            }
        }
        // What a failing write has left behind them.
        try? commitLog.sealIfFaulty(tables: tableStates)
        noteCommit()
        turn.end(ended)
        return outcome
    }

    /// Adds the batches that wait to a group. Those that cannot be committed at all are `ended`.
    private func gather(_ group: inout CommitGroup, _ ended: inout [Ended]) -> [Member] {
        var members: [Member] = []
        for waiter in turn.waitersWithBatches() {
            guard let batch = waiter.batch, !group.isFull, commitLog.fault == nil else { continue }
            do throws(BackendError) {
                guard mayFollow(batch, group) else { continue }
                if batch.hasDemands(after: commitLog.lastCommit) { try resolve(batch) }
                guard !batch.isEmpty else {
                    ended.append((waiter, .success(CommitOutcome(commitLog.lastCommit))))
                    continue
                }
                let commit = try prepare(batch, after: group)
                try append(commit, to: &group)
                members.append((waiter, commit))
            } catch {
                draft = nil
                ended.append((waiter, .failure(error)))
            }
        }
        return members
    }

    /// Whether a batch can come behind a group: nothing has to be asked of the group, and the views
    /// have room for both.
    private func mayFollow(_ batch: WriteBatch, _ group: CommitGroup) -> Bool {
        guard isGroupable(batch), !batch.requiresLastBasis, let end = commitLog.appendedEnd,
            end <= Self.segmentLimit
        else { return false }
        var entries = WriteBatch.TableUsage()
        for use in batch.usage {
            guard let table = table(use.table), hasSpace(for: use, in: table, group) else {
                return false
            }
            guard use.highestRow > table.highestRow else { continue }
            entries.puts += 1
            entries.bytes += Self.longestCatalogEntry
        }
        if entries.puts > 0 {
            guard let catalog = table(.catalog), hasSpace(for: entries, in: catalog, group) else {
                return false
            }
        }
        return GuardedStep.groupDecides.isLeftOut || !group.decides(batch)
    }

    /// About how many bytes the catalog's entry on the rows of a table has at most.
    private static let longestCatalogEntry = 64

    /// Whether a table that a group changes takes `use` as well, as its file is now.
    private func hasSpace(
        for use: WriteBatch.TableUsage, in table: Table, _ group: CommitGroup
    ) -> Bool {
        if table.kind == .ordered { return table.orderedView != nil }
        var all = group.usage(of: table.number)
        all.add(use)
        guard !table.hidesMetadata, let file = table.hashFile else { return false }
        return file.hasSpace(for: all)
    }

    /// Checks a batch that has passed ``mayFollow(_:_:)``.
    private func prepare(
        _ batch: WriteBatch, after group: CommitGroup
    ) throws(BackendError) -> ReadyCommit {
        if let small = tablesOfSmallCommit(batch) { return ReadyCommit(batch, to: small) }
        try check(batch)
        let operations = batch.operationCount
        try addCatalogEntries(to: batch, after: group)
        if batch.operationCount > operations { try check(batch) }
        endChecking()
        let usage = batch.usage
        return ReadyCommit(
            batch, ViewPlan(existing: usage.compactMap { table($0.table) }), usage)
    }

    private func append(
        _ commit: ReadyCommit, to group: inout CommitGroup
    ) throws(BackendError) {
        try commitLog.append(
            Self.frame(of: commit.batch), flags: commit.flags, author: commit.batch.author,
            tables: commit.tables)
        group.add(commit.batch)
    }

    /// Brings the next of the commits that were synced into the views; with the lock.
    @discardableResult
    private func applyNext(_ commit: ReadyCommit) -> CommitNumber {
        let number = commitLog.takeNextAppended()
        switch commit.way {
        case .small(let tables): apply(commit.batch, to: tables, number)
        case .planned(let plan):
            apply(commit.batch, plan, number, ahead: Forerunner.Result())
        }
        subscribers.enqueue(number)
        return number
    }
}
