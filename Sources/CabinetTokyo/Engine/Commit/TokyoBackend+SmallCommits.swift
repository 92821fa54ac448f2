import CabinetBackend

// Commits of a few records to one table whose file is open already. They do what every commit does,
// in the same order, without the lists and sets that commits to many tables need: those took half
// of a small commit's instructions.
extension TokyoBackend {
    /// A batch of this many bytes is small: 4 KiB.
    private static let smallCommit = 4 << 10

    /// The table of `batch` if, but for notes, that only puts rows to one whose file has room for
    /// them, and needs no entry in the catalog; `nil` for any other batch. With the turn.
    func tableOfSmallCommit(_ batch: WriteBatch) -> Table? {
        guard batch.chunkSize <= Self.smallCommit, let (number, use) = batch.usageOfOneTable,
            use.deletes == 0, use.puts > 0, !isLegacy, staged.isEmpty, forerunner == nil,
            table(.catalog) != nil, table(.namedBuffers) != nil, let table = table(number),
            table.kind == .record, !table.hidesMetadata, use.highestRow <= table.highestRow,
            let file = table.hashFile, file.hasSpace(for: use),
            Self.putsRows(Self.operations(of: batch), of: number)
        else { return nil }
        return table
    }

    /// Commits `batch` to the table that ``tableOfSmallCommit(_:)`` gave; the log is ready.
    func commitSmall(
        _ batch: WriteBatch, to table: Table, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber {
        let number = table.number
        let commitNumber = try commitLog.commit(
            Self.frame(of: batch), flags: batch.noteCount > 0 ? .hasNotes : [],
            author: batch.author, tables: 1 << UInt64(number.rawValue % 64), states: tableStates)
        body()
        lock.writing {
            let operations = Self.operations(of: batch)
            let last = table.lastCommit
            table.lastCommit = commitNumber
            lastVisible = commitNumber
            table.changes += 1
            table.seal = nil
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
        }
        noteCommit()
        return commitNumber
    }

    private static func operations(of batch: WriteBatch) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(batch.chunk())[WriteBatch.headroom...])
    }

    /// Whether all `operations` but the notes put rows to one table, and are whole.
    private static func putsRows(
        _ operations: UnsafeRawBufferPointer, of number: TableNumber
    ) -> Bool {
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putRow(number, _, _), .note, .unknown: continue
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
