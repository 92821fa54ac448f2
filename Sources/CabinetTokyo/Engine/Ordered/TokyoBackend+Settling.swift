import CabinetBackend

// Runs are written and merged beside saves and reads. A settling has the writer's turn, and takes
// the lock, only at its beginning, to choose layers, and at its end, to put the run in their place.
extension TokyoBackend {
    /// What a table has changed in memory becomes a run when it takes this much: 1.75 MiB.
    static let deltaLimit = 7 << 18

    /// Has the tables that a commit has touched settled where that is due; with the turn and the
    /// lock.
    func settleIfDue(_ tables: [Table]) {
        for table in tables where table.kind == .ordered { settleIfDue(table) }
    }

    /// Has an ordered table settled if that is due; with the turn and the lock.
    func settleIfDue(_ table: Table) {
        guard let view = table.orderedView,
            view.delta.size > Self.deltaLimit || !view.endsDurably,
            upkeep.claimSettling(of: table.number)
        else { return }
        let number = table.number
        upkeep.queue.async { [weak self] in
            guard let self else { return }
            upkeep.endSettling(of: number)
            settle(number)
        }
    }

    /// Brings all layers of a table into files, and merges runs that have become many.
    ///
    /// - Parameter evenIfSmall: whether also what the table has changed in memory, which may wait.
    package func settle(_ number: TableNumber, evenIfSmall: Bool = false) {
        do throws(BackendError) {
            try upkeep.settling.withLock { () throws(BackendError) in
                guard !upkeep.isCancelled else { return }
                while try settleOne(number, evenIfSmall: evenIfSmall) {}
            }
        } catch {
            log(.warning, "The runs of table \(number) could not be written: \(error)")
        }
    }

    /// - Returns: whether there may be more to do.
    private func settleOne(
        _ number: TableNumber, evenIfSmall: Bool
    ) throws(BackendError) -> Bool {
        guard !upkeep.isCancelled,
            let settling = try beginSettling(number, evenIfSmall: evenIfSmall)
        else { return false }
        guard let run = try settling.write(files, isCancelled: { self.upkeep.isCancelled }) else {
            return false
        }
        try files.syncDirectory(paths.root)
        try endSettling(settling, run, number)
        return true
    }

    /// What to do next for a table; the log is synced up to what it holds.
    private func beginSettling(
        _ number: TableNumber, evenIfSmall: Bool
    ) throws(BackendError) -> Settling? {
        let owner = SettlingOwner()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        guard !isClosed, let table = table(number), case .ordered(let view) = table.view else {
            return nil
        }
        lock.writing {
            if evenIfSmall || view.delta.size > Self.deltaLimit {
                view.seal(at: commitLog.lastCommit)
            }
        }
        if let settling = lock.writing({ Settling(firstOf: view) }) {
            try commitLog.sync(tables: tableStates)
            return settling
        }
        return lock.writing { Settling(mergeIn: view) }
    }

    private func endSettling(
        _ settling: Settling, _ run: Run, _ number: TableNumber
    ) throws(BackendError) {
        let owner = SettlingOwner()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        let isTaken = lock.writing { () -> Bool in
            guard !isClosed, let table = table(number), case .ordered(let view) = table.view,
                view === settling.view
            else { return false }
            table.seal = nil
            return view.replace(settling.numbers, by: run, at: settling.path, settling.span)
        }
        // A table that was dropped or rebuilt meanwhile may have a file of that name.
        guard isTaken else {
            if !isClosed, !isUsed(settling.path) { try files.remove(settling.path) }
            return
        }
        for path in settling.replaced where path != settling.path { try files.remove(path) }
    }

    /// Whether a table reads from the file at `path`.
    private func isUsed(_ path: String) -> Bool {
        byNumber.contains { table in
            guard case .ordered(let view)? = table?.view else { return false }
            return view.layers.contains { $0.path == path }
        }
    }

    private final class SettlingOwner {}
}
