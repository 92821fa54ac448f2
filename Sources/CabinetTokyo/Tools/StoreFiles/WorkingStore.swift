import CabinetBackend

/// The store of a store file while it is open: a directory of its own, and what is known of the file.
///
/// `Sendable`: what changes is guarded. One save, or other change of what belongs to which file, goes on
/// at a time.
package final class WorkingStore: Sendable {
    /// How a store file was opened.
    package struct Opened: Sendable {
        package var working: WorkingStore
        /// What an earlier user of the file has left unsaved, which is in the store again; `nil`: nothing.
        package var unsaved: UnsavedCommits?
        /// What a damaged file has lost; `nil` if it was whole.
        package var report: SalvageReport?
    }

    /// Commits that a file has not. `Sendable`: a value.
    package struct UnsavedCommits: Hashable, Sendable {
        /// The last one.
        package var last: CommitNumber
        /// What has become of the file since.
        package var standing: StoreFileStanding
    }

    let files: any FileLayer
    let directories: WorkingDirectories
    let directory: WorkingDirectory
    let durability: Durability
    let log: LogSink
    let state: Guarded<State>
    /// Held by a save, a revert or a move.
    let changing = Lock()

    struct State: Sendable {
        var record: WorkingRecord
        var backend: TokyoBackend
        /// Commits up to this one have been looked at for edits behind the base.
        var looked: CommitNumber
        var hasEdits = false
        /// The tables that follow from records, those too that are gone since.
        var followers: Set<TableNumber> = []
        /// What opens the store, and after it what opened the file before the key was changed.
        var keys: [StoreKey] = []
        /// Whether a sealed file's metadata stand in the open.
        var showsMetadata = false
        /// Of a generation before this one, whose store is still open.
        var former: UInt64?
    }

    init(_ opening: WorkingOpening, _ record: WorkingRecord, _ backend: TokyoBackend) {
        files = opening.directories.files
        directories = opening.directories
        directory = opening.directory
        durability = opening.options.durability
        log = opening.log
        var state = State(record: record, backend: backend, looked: record.base)
        state.keys = opening.options.keys
        if let header = record.file?.header, header.isSealed {
            state.showsMetadata = !header.sealsMetadata
        }
        self.state = Guarded(state)
    }

    var record: WorkingRecord { state.withLock { $0.record } }

    /// The engine of the store. Another one after ``revert(_:)``.
    package var backend: TokyoBackend { state.withLock { $0.backend } }

    /// The path of the file; `nil` as long as it has none.
    package var path: String? {
        let path = record.path
        return path.isEmpty ? nil : path
    }

    /// The header of the file as it was last read or written here; `nil`: there was none.
    package var fileHeader: StoreFileHeader? { record.file?.header }

    /// What the file says of itself; `nil`: there is none, or they are damaged.
    package var metadata: [UInt8]? {
        guard let path, let reader = try? StoreFileReader(path, files: files) else { return nil }
        return reader.metadata(sealer: backend.files.sealer)
    }

    /// From now on the store has no file: the one that was read belongs to another part of the program.
    package func forgetFile() {
        state.withLock { ($0.record.path, $0.record.origin, $0.record.file) = ("", .nothing, nil) }
    }

    /// Whether metadata stand in the open where the store is sealed. Saves go by it.
    package var showsMetadata: Bool {
        get { state.withLock { $0.showsMetadata } }
        set { state.withLock { $0.showsMetadata = newValue } }
    }

    /// Replaces the key of the store; that of the file with the next save.
    /// - Throws: as ``TokyoBackend/rotateKey(to:)``.
    package func rotateKey(to key: StoreKey) throws(BackendError) {
        try changing.withLock { () throws(BackendError) in
            try backend.rotateKey(to: key)
            state.withLock { $0.keys.insert(key, at: 0) }
        }
    }

    /// Whether the file has other wrapped keys than the store: a program has ended between a change of the key, or of
    /// data keys, and the save that brings it into the file.
    package var fileHasFormerKeys: Bool {
        guard backend.isEncrypted, let path, let reader = try? StoreFileReader(path, files: files),
            let keys = try? KeyFile.read(backend.commitLog.paths.key, files)
        else { return false }
        return reader.header.isSealed && reader.keys != keys
    }

    // MARK: Edits

    /// Whether commits that the file has not have changed more than what follows from records.
    ///
    /// Goes over the commits since the last call.
    package var hasEdits: Bool {
        get throws(BackendError) {
            try state.withLock { state throws(BackendError) in
                if !state.hasEdits {
                    let last = try state.backend.lastCommit()
                    state.hasEdits = try Self.hasEdits(
                        in: state.backend, after: max(state.record.base, state.looked),
                        &state.followers)
                    state.looked = last
                }
                return state.hasEdits
            }
        }
    }

    /// Whether commits after `commit` have changed records or named buffers. Classes that a program
    /// declares, indexes and history follow from what was opened.
    ///
    /// - Parameter followers: the tables that were known to follow, of which some may be gone; then also those
    ///   that are there now.
    static func hasEdits(
        in backend: TokyoBackend, after commit: CommitNumber, _ followers: inout Set<TableNumber>
    ) throws(BackendError) -> Bool {
        followers.formUnion(try Self.followers(in: backend))
        let last = try backend.lastCommit()
        guard last > commit else { return false }
        do throws(BackendError) {
            let cursor = try backend.changes(after: commit)
            while let changes = try cursor.next() {
                var isEdit = false
                try changes.forEachOperation { operation in
                    switch operation {
                    case .putRow(let table, _, _), .deleteRow(let table, _),
                        .putKey(let table, _, _), .deleteKey(let table, _):
                        if !followers.contains(table) { isEdit = true }
                    case .drop(let table): if !followers.contains(table) { isEdit = true }
                    case .define(let table):
                        if table.follows { followers.insert(table.number) }
                    case .note, .unknown: break
                    }
                }
                if isEdit { return true }
            }
            return false
        } catch .changesGone {
            // A snapshot has taken their place, so there was much.
            return true
        } catch {
            throw error
        }
    }

    /// The tables of a store whose entries follow from others.
    static func followers(in backend: TokyoBackend) throws(BackendError) -> Set<TableNumber> {
        var numbers: Set<TableNumber> = [.catalog]
        for table in try backend.tables() where table.follows { numbers.insert(table.number) }
        return numbers
    }

    /// What has become of the file since it was last read or written here.
    package func standing() throws -> StoreFileStanding { try record.standing(files).0 }

    // MARK: The end

    /// Ends the use of the file, after the backend was closed. The directory goes unless it holds edits
    /// that the file has not, or is told to discard them.
    package func finish(discarding: Bool) throws(BackendError) {
        let backend = backend
        let isKept = try discarding || record.isTransient ? false : keepsEdits(backend)
        try backend.close()
        defer { directory.unlock() }
        if isKept { try directory.sweep(record) } else { try directory.remove() }
    }

    /// Of a backend that was closed, this says what the last look has found; commits after it are kept, and
    /// the next opening looks.
    private func keepsEdits(_ backend: TokyoBackend) throws(BackendError) -> Bool {
        do throws(BackendError) {
            return try hasEdits
        } catch .closed {
            return state.withLock { $0.hasEdits || $0.looked < backend.lastVisible }
        } catch {
            throw error
        }
    }
}

extension TableDefinition {
    /// Whether what it has follows from other tables, or from what these had.
    fileprivate var follows: Bool { !flags.isDisjoint(with: [.derived, .keepsHistory]) }
}
