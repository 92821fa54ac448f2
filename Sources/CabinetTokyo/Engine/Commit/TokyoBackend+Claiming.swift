import CabinetBackend

extension TokyoBackend {
    /// Makes sure that the view of a new or renamed table can be written to `path`.
    ///
    /// A file that does not belong to the store is not overwritten because a class has its name.
    /// But the file there may be a view that was made for a commit which a power cut took back. It
    /// may be torn in any way.
    /// - Throws: ``BackendError/pathTaken(path:)``, or why it could not be found out.
    func reserveBytes(at path: String) throws(BackendError) {
        switch try FileHead.read(path, files) {
        case .missing, .empty: return
        case .view(let mark) where mark.store == commitLog.store: return
        case .unmarked(records: 0): return
        case .view, .unmarked, .foreign: throw .pathTaken(path: path)
        case .zeros: break
        }
        var number = 1
        while try files.status(of: "\(path).lost-\(number)") != nil { number += 1 }
        try files.rename(path, to: "\(path).lost-\(number)")
        log(
            .warning,
            "\(path) began with zeros, so it is not known whose it is: renamed .lost-\(number).")
    }

    /// What a view says from its making on, so that it is known for the store's own whatever
    /// becomes of its commit.
    func firstMark(of table: TableDefinition) -> ViewMark {
        ViewMark(store: commitLog.store, applied: 0, synced: 0, table: table)
    }
}
