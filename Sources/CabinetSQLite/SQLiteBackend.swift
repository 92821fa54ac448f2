#if SQLite
    import CabinetBackend
    import CabinetSQL
    import Foundation

    /// A store in a file of SQLite's, which several processes of a machine may write at the same time.
    ///
    /// Each commit is one transaction: a process that is killed at any moment leaves it whole or not at all. What
    /// other processes have committed is seen after ``SQLBackend/refresh()``; a subscriber hears of it within a
    /// tenth of a second. Readers that are frozen hold no transaction open: what commits replace is kept in the
    /// file for them. A process that holds a reader and gives no sign of life for a minute loses it, as it does
    /// when it is stopped: its calls throw `BackendError.snapshotTooOld`.
    ///
    /// The file must be on a disk of this machine. It is copied with the files beside it that have its name and
    /// `-wal` at the end, or by `VACUUM INTO`, never while a program writes.
    public final class SQLiteBackend: SQLBackend, @unchecked Sendable {
        /// Opens the store in the file at `path`, which is made if need be.
        ///
        /// - Parameters:
        ///   - durability: how safe a save is when it has returned.
        ///   - access: with `Access.readOnly` no content is changed. If this user may write to the file, it gets
        ///     a note of who reads it, and what a reader holds is kept; otherwise for a minute only.
        ///   - patience: how long a commit waits for those of other processes.
        ///   - log: gets messages about what could not be tidied up.
        /// - Throws: `BackendError.notAStore` for a file of another kind or of another program,
        ///   `BackendError.noStore` if there is nothing to read, `BackendError.newerFormat`,
        ///   `BackendError.accessDenied`, `BackendError.busy` when patience ends, and what the system throws.
        public convenience init(
            path: String, durability: Durability = .full, access: Access = .readWrite,
            patience: Duration = .seconds(30), log: LogSink = .standardError
        ) throws(BackendError) {
            var options = SQLOptions()
            options.durability = durability
            options.log = log
            try self.init(path: path, access: access, patience: patience, options: options)
        }

        /// Opens the store in `file`, as ``init(path:durability:access:patience:log:)`` does.
        /// - Throws: `BackendError.notAStore` also for an address of no file.
        public convenience init(
            file: URL, durability: Durability = .full, access: Access = .readWrite,
            patience: Duration = .seconds(30), log: LogSink = .standardError
        ) throws(BackendError) {
            guard file.isFileURL else { throw .notAStore(path: file.absoluteString) }
            try self.init(
                path: file.path, durability: durability, access: access, patience: patience,
                log: log)
        }

        /// The same with options for tests.
        package convenience init(
            path: String, access: Access = .readWrite, patience: Duration = .seconds(30),
            options: SQLOptions
        ) throws(BackendError) {
            let file = try SQLiteFile(path, access: access, patience: patience)
            self.init(
                try SQLCore(
                    file, access: access, registers: file.isWritable, options: options))
        }
    }
#endif
