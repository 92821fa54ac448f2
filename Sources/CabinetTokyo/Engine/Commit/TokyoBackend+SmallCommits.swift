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
        var keys: OrderedTables

        /// The tables, as a frame shows them.
        var bitmap: UInt64 {
            var bits: UInt64 = 1 << UInt64(records.number.rawValue % 64)
            keys.forEachTable { bits |= 1 << UInt64($0.number.rawValue % 64) }
            return bits
        }
    }

    /// The ordered tables of a small commit: most have one at most.
    struct OrderedTables {
        private var first: Table?
        private var more: [Table]?

        mutating func add(_ table: Table) {
            if first == nil { first = table } else { more = (more ?? []) + [table] }
        }

        /// The table with that number.
        @inline(__always)
        subscript(number: TableNumber) -> Table? {
            if let first, first.number == number { return first }
            return more?.first { $0.number == number }
        }

        /// Calls `body` with each of the tables.
        @inline(__always)
        func forEachTable(_ body: (Table) -> Void) {
            guard let first else { return }
            body(first)
            guard let more else { return }
            for table in more { body(table) }
        }
    }

    /// The tables of `batch` if, but for notes, it only puts rows to one whose file has room for
    /// them, changes keys of ordered tables, and needs no entry in the catalog; `nil` for any other
    /// batch. With the turn.
    func tablesOfSmallCommit(_ batch: WriteBatch) -> SmallCommit? {
        guard batch.chunkSize <= Self.smallCommit, !isLegacy, !isLineDue, staged.isEmpty,
            forerunner == nil,
            table(.catalog) != nil, table(.namedBuffers) != nil
        else { return nil }
        var records: Table?
        var use = WriteBatch.TableUsage()
        var keys = OrderedTables()
        var reader = OperationReader(Self.operations(of: batch))
        while let operation = reader.next() {
            switch operation {
            case .putRow(let number, let row, let stored):
                if records?.number != number {
                    guard records == nil, let table = table(number), table.kind == .record,
                        !table.hidesMetadata
                    else { return nil }
                    records = table
                }
                use.puts &+= 1
                use.bytes &+= DecimalKey.longest &+ stored.count
                use.highestRow = max(use.highestRow, row)
            case .putKey(let number, let key, _):
                guard key.count <= limits.longestOrderedKey, isOrdered(number, &keys) else {
                    return nil
                }
            case .deleteKey(let number, _):
                guard isOrdered(number, &keys) else { return nil }
            case .note, .unknown: continue
            default: return nil
            }
        }
        guard !reader.isDamaged, let records, use.highestRow <= records.highestRow,
            let file = records.hashFile, file.hasSpace(for: use)
        else { return nil }
        return SmallCommit(records: records, keys: keys)
    }

    /// Whether that is an ordered table, which is among `tables` then.
    @inline(__always)
    private func isOrdered(_ number: TableNumber, _ tables: inout OrderedTables) -> Bool {
        if tables[number] != nil { return true }
        guard let table = table(number), table.orderedView != nil else { return false }
        tables.add(table)
        return true
    }

    /// Commits `batch` to the tables that ``tablesOfSmallCommit(_:)`` gave; the log is ready.
    func commitSmall(
        _ batch: WriteBatch, to tables: SmallCommit, freezing label: String?,
        meanwhile body: () -> Void
    ) throws(BackendError) -> CommitOutcome {
        let commitNumber = try commitLog.commit(
            Self.frame(of: batch), flags: batch.noteCount > 0 ? .hasNotes : [],
            author: batch.author, tables: tables.bitmap, states: tableStates)
        body()
        var outcome = CommitOutcome(commitNumber)
        lock.writing {
            apply(batch, to: tables, commitNumber)
            outcome.hold = hold(for: label)
        }
        noteCommit()
        return outcome
    }

    /// Brings a small commit that is in the log into the views; with the turn and the lock.
    func apply(_ batch: WriteBatch, to tables: SmallCommit, _ commitNumber: CommitNumber) {
        let table = tables.records
        let operations = Self.operations(of: batch)
        if window.isKeeping { letGoOfReleased() }
        if window.isKeeping || feedIsRead { keepChanges(of: batch, commitNumber) }
        if window.isKeeping {
            noteReplaced(by: operations, of: tables, commitNumber)
        }
        let last = table.lastCommit
        Self.note(commitNumber, of: table)
        tables.keys.forEachTable { Self.note(commitNumber, of: $0) }
        lastVisible = commitNumber
        guard let file = table.hashFile, let address = file.markAddress,
            ViewMark.applied(at: address) == last
        else {
            Self.applyKeys(operations, to: tables.keys)
            // Another program may have put something else into the file.
            if table.hashFile?.markAddress != nil { noteDamaged(table.number) }
            return healAfterCommit([table.number])
        }
        ViewMark.setBusy(at: address)
        let isDone = Applier.putRows(operations, to: file, table.keyForm, table.checksums) {
            Self.applyKey($0, to: tables.keys)
        }
        guard isDone, !file.hasFailed else { return healAfterCommit([table.number]) }
        mark(table).write(at: address)
        file.noteGrowth()
        tables.keys.forEachTable { settleIfDue($0) }
    }

    @inline(__always)
    private static func note(_ commit: CommitNumber, of table: Table) {
        table.lastCommit = commit
        table.changes += 1
        table.seal = nil
    }

    private static func applyKeys(
        _ operations: UnsafeRawBufferPointer, to tables: OrderedTables
    ) {
        var reader = OperationReader(operations)
        while let operation = reader.next() { applyKey(operation, to: tables) }
    }

    @inline(__always)
    private static func applyKey(_ operation: Operation, to tables: OrderedTables) {
        switch operation {
        case .putKey(let number, let key, let stored):
            tables[number]?.orderedView?.put(key, stored: stored)
        case .deleteKey(let number, let key):
            tables[number]?.orderedView?.delete(key)
        default: return
        }
    }

    static func operations(of batch: WriteBatch) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(batch.chunk())[WriteBatch.headroom...])
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
