import CabinetBackend

// The way of every commit from its frame to the views. Those that wait for the turn while a commit goes
// to the disk share its sync: the thread that has the turn brings the frames of all into the log, one
// behind the other, syncs once, and then applies them in that order. So no read sees a commit that a
// failing sync takes back.
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

    /// Makes a commit and, with the same sync, those that wait and can come behind it. All others of them
    /// go on waiting, and the next one to have the turn begins the next group.
    ///
    /// - Throws: why `first` was not made. If that is the sync, none of them was.
    func carryOut(
        _ first: ReadyCommit, freezing label: String?, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitOutcome {
        var ended: [Ended] = []
        var members: [Member] = []
        forerunner?.finishFeeds()
        do throws(BackendError) {
            try append(first)
            if mayBeShared(first.batch) { members = gather(behind: first, &ended) }
            try commitLog.syncAppended()
        } catch {
            commitLog.dropAppended(states: tableStates)
            abandonForerunner()
            first.plan.discard(files)
            turn.end(ended + members.map { ($0.waiter, .failure(error)) })
            throw error
        }
        // The commits exist. Nothing below fails, and the forerunner may have much to do yet.
        isLineDue = false
        body()
        let ahead = endForerunner()
        var outcome = CommitOutcome(commitLog.lastCommit.next)
        lock.writing {
            applyNext(first, ahead: ahead)
            let made = members.map { applyNext($0.commit) }
            // All hold the last of the commits, so none has to take up the others' once more.
            outcome.hold = hold(for: label)
            for (member, number) in zip(members, made) {
                var outcome = CommitOutcome(number)
                outcome.hold = hold(for: member.waiter.label)
                ended.append((member.waiter, .success(outcome)))
            }
        }
        if !staged.isEmpty { writeBackViews(of: first.plan) }
        forgetStaged()
        // What a failing write has left behind them.
        try? commitLog.sealIfFaulty(tables: tableStates)
        noteCommit(dropsTables: !first.batch.drops.isEmpty)
        if !ended.isEmpty { turn.end(ended) }
        return outcome
    }

    /// Appends the batches that wait. Those that cannot be committed at all are `ended`.
    private func gather(behind first: ReadyCommit, _ ended: inout [Ended]) -> [Member] {
        var group = CommitGroup()
        group.add(first)
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
                try append(commit)
                group.add(commit)
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

    private func append(_ commit: ReadyCommit) throws(BackendError) {
        try commitLog.append(
            Self.frame(of: commit.batch), flags: commit.flags, author: commit.batch.author,
            tables: commit.tables)
    }

    /// Brings the next of the commits that were appended and synced into the views; with the lock.
    @discardableResult
    private func applyNext(
        _ commit: ReadyCommit, ahead: Forerunner.Result = Forerunner.Result()
    ) -> CommitNumber {
        let number = commitLog.takeNextAppended()
        apply(commit, number, ahead: ahead)
        subscribers.enqueue(number)
        return number
    }
}

extension HashFile {
    /// Whether the file is open for writing, and neither a better layout nor more room is needed
    /// for what `use` puts to it.
    fileprivate func hasSpace(for use: WriteBatch.TableUsage) -> Bool {
        guard isWriting else { return false }
        let puts = UInt64(use.puts)
        let end = image.end + HashSizing.growth(puts: puts, bytes: UInt64(use.bytes), files)
        return isReserved(upTo: end)
            && HashSizing.better(than: image, count: count + puts, size: end) == nil
    }
}
