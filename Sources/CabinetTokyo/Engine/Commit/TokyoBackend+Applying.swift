import CabinetBackend

extension TokyoBackend {
    /// Brings a commit that is in the log into the views; with the turn and the lock. It cannot
    /// fail: a view for which it does not succeed is rebuilt, or marked as unavailable.
    /// - Parameters:
    ///   - ahead: what was made ahead of the commit.
    func apply(
        _ commit: ReadyCommit, _ commitNumber: CommitNumber, ahead: Forerunner.Result
    ) {
        let (batch, plan) = (commit.batch, commit.plan)
        let touched = plan.new.isEmpty ? plan.existing : plan.existing + plan.new
        if window.isKeeping { letGoOfReleased() }
        if window.isKeeping || feedIsRead { keepChanges(of: batch, commitNumber) }
        if window.isKeeping {
            noteTables(of: commit, commitNumber)
        }
        var failed = ahead.failed
        for table in applyOperations(batch, touched, commitNumber, ahead.tables) {
            failed.insert(table)
        }
        for table in plan.new { install(table) }
        take(ahead.ordered, of: commitNumber, &failed)
        lastVisible = commitNumber
        for table in touched { note(table, batch, commitNumber) }
        if batch.changesTables {
            for definition in batch.definitions { redefine(definition) }
            for number in batch.drops { drop(number, commitNumber) }
        }
        for table in touched where !failed.contains(table.number) {
            if !finish(table, commitNumber) { failed.insert(table.number) }
        }
        if !plan.new.isEmpty || batch.changesTables { moveFiles(&failed) }
        if !failed.isEmpty { rebuildAfterCommit(failed) }
        settleIfDue(touched)
    }

    /// Gives ordered tables what their feeds have come to.
    private func take(
        _ outcomes: [Forerunner.Ordered], of commitNumber: CommitNumber,
        _ failed: inout Set<TableNumber>
    ) {
        for made in outcomes {
            defer { made.feed.discard() }
            guard let table = table(made.table), case .ordered(let view) = table.view else {
                continue
            }
            do throws(BackendError) {
                let window = window
                try view.take(
                    try made.outcome.get(), of: commitNumber,
                    RunMaker(files: files, identity: view.identity),
                    noting: window.isKeeping
                        ? { window.note(key: $0, in: made.table, commit: commitNumber) } : nil)
                made.feed.isTaken = true
                if let run = view.layers.last?.run, run.span.to == commitNumber {
                    noteFed(run, made.table, commitNumber)
                }
            } catch {
                log(.warning, "\(view.base) could not be written: \(error)")
                failed.insert(made.table)
            }
        }
    }

    /// Returns the tables in whose files a change did not succeed.
    private func applyOperations(
        _ batch: WriteBatch, _ touched: [Table], _ commitNumber: CommitNumber,
        _ ahead: Set<TableNumber>
    ) -> Set<TableNumber> {
        var changed: Set<TableNumber> = []
        for table in touched {
            if !setBusy(table) {
                changed.insert(table.number)
                if window.isKeeping { rebuildToNote(table, commitNumber) }
            } else if !ahead.contains(table.number) {
                applier.add(table)
            }
        }
        defer { for table in touched { applier.remove(table.number) } }
        do {
            try applyStaged(except: ahead, commitNumber, &changed)
            for table in touched where ahead.contains(table.number) {
                if !changed.contains(table.number) { applier.add(table) }
            }
            apply(Self.operations(of: batch), commitNumber, &changed)
            guard changed.isEmpty else {
                changed.forEach(noteDamaged)
                return applier.takeFailed().union(changed)
            }
            return applier.takeFailed()
        } catch {
            _ = applier.takeFailed()
            log(.error, "Commit \(commitNumber) could not be read back: \(error)")
            return Set(touched.map(\.number))
        }
    }

    /// Applies operations, once what they replace is noted. Adds the tables that turned out to be
    /// damaged to `changed`.
    private func apply(
        _ operations: UnsafeRawBufferPointer, _ commitNumber: CommitNumber,
        _ changed: inout Set<TableNumber>
    ) {
        if window.isKeeping {
            for table in noteReplaced(by: operations, commitNumber) {
                applier.remove(table)
                changed.insert(table)
            }
        }
        applier.apply(operations)
    }

    /// Applies the chunks in the log, but not those that change only what is `ahead`.
    private func applyStaged(
        except ahead: Set<TableNumber>, _ commitNumber: CommitNumber,
        _ changed: inout Set<TableNumber>
    ) throws(BackendError) {
        guard !staged.isEmpty, !stagedTables.isSubset(of: ahead), let current = commitLog.current
        else { return }
        var readback = Readback()
        for frame in staged where !frame.tables.isSubset(of: ahead) {
            try readback.read(frame, from: current.file, files, commitLog.store, current.number) {
                apply($0, commitNumber, &changed)
            }
        }
    }

    /// `false`: another program has put something else into the file. Its mark names another commit
    /// than the table's last one.
    private func setBusy(_ table: Table) -> Bool {
        if let address = table.hashFile?.markAddress {
            guard ViewMark.applied(at: address) == table.lastCommit else { return false }
            ViewMark.setBusy(at: address)
            return true
        }
        return true
    }

    private func install(_ table: Table) {
        let index = Int(table.number.rawValue)
        if index >= byNumber.count {
            byNumber.append(contentsOf: repeatElement(nil, count: index + 1 - byNumber.count))
        }
        byNumber[index] = table
        highestTable = max(highestTable, table.number)
        retired.remove(table.number)
        counters.withLock { $0.noteDefined(table.number) }
    }

    private func redefine(_ definition: TableDefinition) {
        guard let table = table(definition.number) else { return }
        table.entry.definition = definition
        highestTable = max(highestTable, definition.number)
    }

    private func note(_ table: Table, _ batch: WriteBatch, _ commitNumber: CommitNumber) {
        table.lastCommit = commitNumber
        table.changes += 1
        table.seal = nil
        let row = batch.usage(of: table.number).highestRow
        guard row > table.highestRow else { return }
        table.highestRow = row
        counters.withLock { counters in
            let next = row == .max ? row : row.next
            counters.nextRows[table.number] = max(counters.nextRows[table.number] ?? 0, next)
        }
    }

    private func drop(_ number: TableNumber, _ commitNumber: CommitNumber) {
        guard let table = table(number) else { return }
        let path = paths.view(of: table.definition)
        if !isKept(table, commitNumber) {
            table.view = .unavailable(path: path, cause: "it was dropped")
        }
        byNumber[number.index] = nil
        retired.insert(number)
        counters.withLock { $0.noteDropped(table.definition, commitNumber) }
        // A file that stays is removed at the next recovery, as one that no table has.
        guard table.kind == .ordered else { return removeFile(path) }
        let runs = try? RunFiles(files: files, directory: paths.root)
        for path in runs?.paths(of: number) ?? [] { removeFile(path) }
    }

    /// Keeps a table that is dropped, if a reader holds a commit.
    private func isKept(_ table: Table, _ commitNumber: CommitNumber) -> Bool {
        guard window.isKeeping else { return false }
        do throws(BackendError) {
            try noteDropped(table, commitNumber)
            return true
        } catch {
            log(.error, "Frozen readers cannot read table \(table.number) any more: \(error)")
            return false
        }
    }

    private func removeFile(_ path: String) { try? files.remove(path) }

    /// Marks a view as current.
    private func finish(_ table: Table, _ commitNumber: CommitNumber) -> Bool {
        guard let file = table.hashFile else { return true }
        if table.hidesMetadata {
            do { try LegacyMetadata.write(table, to: file) } catch { return false }
        }
        guard let address = file.markAddress, !file.hasFailed else { return false }
        mark(table).write(at: address)
        file.noteGrowth()
        return true
    }

    /// What the view of a table says of itself when it is current.
    func mark(_ table: Table) -> ViewMark {
        ViewMark(
            store: commitLog.store, applied: table.lastCommit, synced: commitLog.syncedCommit,
            number: table.number, kind: table.kind, classNumber: table.entry.classNumber,
            classVersion: table.entry.classVersion, flags: table.entry.flags)
    }

    /// Gives the files of tables that were made or renamed their names. All step aside first,
    /// for one may take what was another's.
    private func moveFiles(_ failed: inout Set<TableNumber>) {
        var moving: [Table] = []
        for table in byNumber {
            guard let table, !failed.contains(table.number), table.isReadable else { continue }
            let path = table.view.path
            guard path != paths.view(of: table.definition) else { continue }
            let aside = paths.building(table.number)
            do throws(BackendError) {
                try closeFile(table)
                if path != aside { try table.view.move(to: aside) }
                moving.append(table)
            } catch {
                log(.warning, "\(path) could not be renamed: \(error)")
                failed.insert(table.number)
            }
        }
        for table in moving {
            let path = paths.view(of: table.definition)
            do throws(BackendError) {
                try table.view.move(to: path)
            } catch {
                log(.warning, "\(path) could not be renamed: \(error)")
                failed.insert(table.number)
            }
        }
    }

    private func closeFile(_ table: Table) throws(BackendError) {
        switch table.view {
        case .hash(let file): try file.endWriting()
        case .ordered, .unavailable: break
        }
    }

    func rebuildAfterCommit(_ failed: Set<TableNumber>) {
        let broken = failed.compactMap { table($0) }
        guard !broken.isEmpty else { return }
        for table in broken {
            log(.warning, "Making \(paths.view(of: table.definition)) anew: a change failed.")
        }
        do {
            try rebuild(broken)
        } catch {
            log(.error, "Views could not be made anew; opening the store again will: \(error)")
        }
    }
}
