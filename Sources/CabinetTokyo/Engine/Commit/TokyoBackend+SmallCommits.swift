import CabinetBackend

// Commits of a few records to one table whose file is open already, and of keys of ordered tables.
// They do what every commit does, in the same order, without the lists and sets that commits to
// many tables need: those took half of a small commit's instructions.
extension TokyoBackend {
    /// A batch of this many bytes is small: 4 KiB.
    private static let smallCommit = 4 << 10

    /// The tables of a small commit.
    struct SmallCommit {
        /// The record table, to which rows are only put.
        var records: Table
        /// An ordered table, and further ones, which few commits have.
        var ordered: Table?
        var moreOrdered: [Table] = []

        /// Calls `body` with each of the ordered tables.
        @inline(__always)
        func forEachOrdered(_ body: (Table) -> Void) {
            guard let ordered else { return }
            body(ordered)
            for table in moreOrdered { body(table) }
        }
    }

    /// The tables of `batch` if, but for notes, it only puts rows to one whose file has room for
    /// them, changes keys of ordered tables, and needs no entry in the catalog; `nil` for any other
    /// batch. With the turn.
    func tablesOfSmallCommit(_ batch: WriteBatch) -> SmallCommit? {
        guard batch.chunkSize <= Self.smallCommit, !isLegacy, staged.isEmpty, forerunner == nil,
            table(.catalog) != nil, table(.namedBuffers) != nil
        else { return nil }
        var commit: SmallCommit
        if let (number, use) = batch.usageOfOneTable {
            guard let table = tableOfRows(number, use) else { return nil }
            commit = SmallCommit(records: table)
        } else {
            guard let found = tables(of: batch) else { return nil }
            commit = found
        }
        let operations = Self.operations(of: batch)
        return Self.isOnly(operations, commit, longestKey: limits.longestOrderedKey) ? commit : nil
    }

    private func tables(of batch: WriteBatch) -> SmallCommit? {
        guard !batch.changesTables else { return nil }
        var records: Table?
        var ordered: Table?
        var moreOrdered: [Table] = []
        for use in batch.usage {
            guard let table = table(use.table) else { return nil }
            if table.kind == .ordered {
                guard case .ordered = table.view else { return nil }
                if ordered == nil { ordered = table } else { moreOrdered.append(table) }
            } else {
                guard records == nil, let table = tableOfRows(use.table, use) else { return nil }
                records = table
            }
        }
        return records.map { SmallCommit(records: $0, ordered: ordered, moreOrdered: moreOrdered) }
    }

    private func tableOfRows(_ number: TableNumber, _ use: WriteBatch.TableUsage) -> Table? {
        guard use.deletes == 0, use.puts > 0, let table = table(number), table.kind == .record,
            !table.hidesMetadata, use.highestRow <= table.highestRow, let file = table.hashFile,
            file.hasSpace(for: use)
        else { return nil }
        return table
    }

    /// Commits `batch` to the tables that ``tablesOfSmallCommit(_:)`` gave; the log is ready.
    func commitSmall(
        _ batch: WriteBatch, to tables: SmallCommit, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber {
        let table = tables.records
        let number = table.number
        var bits: UInt64 = 1 << UInt64(number.rawValue % 64)
        tables.forEachOrdered { bits |= 1 << UInt64($0.number.rawValue % 64) }
        let commitNumber = try commitLog.commit(
            Self.frame(of: batch), flags: batch.noteCount > 0 ? .hasNotes : [],
            author: batch.author, tables: bits, states: tableStates)
        body()
        lock.writing {
            let operations = Self.operations(of: batch)
            if window.isKeeping { noteReplaced(by: operations, of: tables, commitNumber) }
            let last = table.lastCommit
            table.lastCommit = commitNumber
            lastVisible = commitNumber
            table.changes += 1
            table.seal = nil
            if tables.ordered != nil { applyKeys(operations, to: tables, commitNumber) }
            guard let file = table.hashFile, let address = file.markAddress else {
                return healAfterCommit([number])
            }
            // Another program may have put something else into the file.
            guard ViewMark.applied(at: address) == last else {
                noteDamaged(number)
                return healAfterCommit([number])
            }
            ViewMark.setBusy(at: address)
            let isDone = Applier.putRows(operations, to: file, table.keyForm, table.checksums)
            guard isDone, !file.hasFailed else { return healAfterCommit([number]) }
            mark(table).write(at: address)
            file.noteGrowth()
            tables.forEachOrdered { settleIfDue($0) }
        }
        noteCommit()
        return commitNumber
    }

    private func applyKeys(
        _ operations: UnsafeRawBufferPointer, to tables: SmallCommit, _ commitNumber: CommitNumber
    ) {
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putKey(let number, let key, let stored):
                orderedView(number, in: tables)?.put(key, stored: stored)
            case .deleteKey(let number, let key):
                orderedView(number, in: tables)?.delete(key)
            default: continue
            }
        }
        tables.forEachOrdered { table in
            table.lastCommit = commitNumber
            table.changes += 1
            table.seal = nil
        }
    }

    private func orderedView(_ number: TableNumber, in tables: SmallCommit) -> OrderedView? {
        let table =
            tables.ordered?.number == number
            ? tables.ordered : tables.moreOrdered.first { $0.number == number }
        if case .ordered(let view)? = table?.view { return view }
        return nil
    }

    private static func operations(of batch: WriteBatch) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(batch.chunk())[WriteBatch.headroom...])
    }

    /// Whether all `operations` but the notes put rows to the record table of `commit` or change
    /// keys of its ordered tables, and are whole.
    private static func isOnly(
        _ operations: UnsafeRawBufferPointer, _ commit: SmallCommit, longestKey: Int
    ) -> Bool {
        let records = commit.records.number
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putRow(records, _, _), .note, .unknown: continue
            case .putKey(_, let key, _):
                guard commit.ordered != nil, key.count <= longestKey else { return false }
            case .deleteKey: if commit.ordered == nil { return false }
            default: return false
            }
        }
        return !reader.isDamaged
    }
}

extension HashFile {
    /// Whether the file is open for writing, and neither a better layout nor more room is needed
    /// for what `use` puts to it.
    func hasSpace(for use: WriteBatch.TableUsage) -> Bool {
        guard isWriting else { return false }
        let puts = UInt64(use.puts)
        let end = image.end + HashSizing.growth(puts: puts, bytes: UInt64(use.bytes))
        return isReserved(upTo: end)
            && HashSizing.better(than: image, count: count + puts, size: end) == nil
    }
}
