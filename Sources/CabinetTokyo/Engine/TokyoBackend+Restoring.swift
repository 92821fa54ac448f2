import CabinetBackend
import Dispatch

// Views that another program has replaced, and views that could not be opened again: they are
// rebuilt from the log when they are needed.
extension TokyoBackend {
    /// Rebuilds the view of a table if the file with its name is not the one in use any more; with
    /// the turn and the lock, and the log ready. Returns whether the view was rebuilt.
    func rebuildIfStrange(_ table: Table) throws(BackendError) -> Bool {
        guard let found = try table.strangeness(in: commitLog.store, files) else { return false }
        let path = paths.view(of: table.definition)
        log(.warning, "Making \(path) anew from the log: \(found.reason).")
        noteDamaged(table.number)
        let old = found.isContentRight ? table.view : nil
        do {
            try rebuild([table])
        } catch {
            if let old { table.view = old }
            throw error
        }
        return true
    }

    /// Rebuilds an ordered table if a run that was not used yet cannot be; with the turn and the
    /// lock, and the log ready.
    func rebuildIfDamaged(_ table: Table) throws(BackendError) {
        do throws(BackendError) {
            try table.orderedView?.openRuns()
        } catch {
            guard case .corrupt(let path, let offset) = error else { throw error }
            log(.warning, "\(path) is damaged at byte \(offset); making it anew.")
            noteDamaged(table.number)
            try rebuild([table])
        }
    }

    /// A view's file turned out not to hold what the store last wrote to it.
    func noteDamaged(_ number: TableNumber) {
        if !damagedViews.contains(number) { damagedViews.append(number) }
    }

    /// Stands for a caller that takes the turn for a moment.
    private final class Restorer {}

    /// Rebuilds the view of a table that reads found unavailable, while there are no reads. After a
    /// failure it is not tried again for a second, as each attempt reads the whole log.
    ///
    /// - Throws: ``BackendError/viewUnavailable(path:cause:)``, with the reason.
    func restore(_ number: TableNumber) throws(BackendError) {
        do throws(BackendError) {
            let owner = Restorer()
            try turn.take(for: owner)
            defer { turn.giveBack(owner) }
            try lock.writing { () throws(BackendError) in
                try checkOpen()
                guard !isLegacy, let table = table(number), !table.isReadable,
                    DispatchTime.now() >= nextRestoring[number] ?? .init(uptimeNanoseconds: 0)
                else { return }
                nextRestoring[number] = .now() + .seconds(1)
                log(.notice, "Making \(paths.view(of: table.definition)) anew from the log.")
                try prepareToRebuild()
                try rebuild([table])
                nextRestoring[number] = nil
            }
        } catch {
            switch error {
            case .viewUnavailable, .closed: throw error
            default:
                let path = lock.reading { table(number).map { paths.view(of: $0.definition) } }
                throw .viewUnavailable(path: path ?? location, cause: "\(error)")
            }
        }
    }

    /// Makes sure that views may be written: takes the clean marker back, or makes a directory for
    /// temporary views; with the turn and the lock.
    func prepareToRebuild() throws(BackendError) {
        if access == .readWrite {
            try commitLog.prepare(try newSession(), tables: tableStates, sealing: false)
        } else if copies == nil, temporary == nil {
            temporary = try TemporaryViews(files: files)
        }
    }
}
