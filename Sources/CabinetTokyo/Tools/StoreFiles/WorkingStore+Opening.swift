import CabinetBackend

extension WorkingStore {
    /// How a store file is opened.
    package struct Options: Sendable {
        /// Whether a new store is begun if there is no file.
        package var creates = true
        /// Whether unsaved commits of an earlier user go.
        package var discards = false
        /// The working directory to go on with, which an earlier user has left; `nil`: the one of the file.
        package var directory: String?
        /// Whether the directory goes with the process.
        package var isTransient = false
        package var durability = Durability.full
        /// The key of a sealed store; others after it may open the file, too.
        package var keys: [StoreKey] = []

        package init() {}
    }

    /// Opens the file at `path`, or a store without one.
    ///
    /// The file is unpacked, unless an earlier user has left a working directory for it that is as far as the
    /// file, or further.
    /// - Parameters:
    ///   - path: absolute, without links; empty for none.
    ///   - use: called with the backend before anything is given up; what it throws ends the opening.
    /// - Throws: ``BackendError/busy(path:holder:)`` if it is open already, ``BackendError/noStore(path:)``,
    ///   ``BackendError/notAStore(path:)``, ``BackendError/newerFormat(path:found:known:)``; a file of which
    ///   nothing can be read is ``BackendError/corrupt(path:offset:)``; `CancellationError`. Nothing has
    ///   changed then.
    package static func open(
        _ path: String, in directories: WorkingDirectories, _ options: Options,
        log: LogSink = .standardError, reporter: (any WorkReporter)? = nil,
        use: (TokyoBackend) throws -> Void = { _ in }
    ) throws -> Opened {
        let pace = Pace(reporter)
        let (directory, found) = try claim(path, directories, options, log)
        let opening = WorkingOpening(
            directories: directories, directory: directory, options: options, log: log, pace: pace)
        do {
            return try opening.open(path, found, use)
        } catch {
            // One that was found stays as it is.
            if found == nil { try? directory.remove() }
            throw error
        }
    }

    /// The directory of the file at `path`, locked, and its record; or a new one. One that goes with the process
    /// has nothing to do with what others have of the file.
    private static func claim(
        _ path: String, _ directories: WorkingDirectories, _ options: Options, _ log: LogSink
    ) throws -> (WorkingDirectory, WorkingRecord?) {
        try directories.withLock {
            let entries = try directories.entries()
            for entry in entries where entry.isDamaged {
                log(
                    .error,
                    "\(entry.path)/Record cannot be read: of which file the store beside it has edits is not known."
                )
            }
            defer { directories.sweep(entries) }
            func lock(_ entry: WorkingDirectories.Entry) throws(BackendError) -> WorkingDirectory? {
                try WorkingDirectory(locking: entry.path, files: directories.files)
            }
            if let wanted = options.directory {
                guard let entry = entries.first(where: { $0.path == wanted && !$0.isDamaged }),
                    let record = entry.record, record.path == path
                else { throw BackendError.noStore(path: wanted) }
                guard let directory = try lock(entry) else {
                    throw BackendError.busy(path: wanted, holder: "")
                }
                return (directory, record)
            }
            if !path.isEmpty, !options.isTransient {
                let known = entries.filter { $0.record?.isTransient == false }
                if let own = known.first(where: { $0.record?.path == path }) {
                    guard let directory = try lock(own) else {
                        throw BackendError.busy(path: path, holder: "")
                    }
                    return (directory, own.record)
                }
                for entry in known {
                    // One that is in use has a copy of the file.
                    guard let record = entry.record,
                        try wasMoved(record, to: path, directories.files),
                        let directory = try lock(entry)
                    else { continue }
                    return (directory, record)
                }
            }
            let made = try directories.make()
            // From now on others find it.
            if !path.isEmpty, !options.isTransient { try made.write(WorkingRecord(path: path)) }
            return (made, nil)
        }
    }

    /// Whether the file of `record` now stands at `path`: it has its mark, and its own place is empty, though the
    /// volume of that place is there; or it is that file.
    private static func wasMoved(
        _ record: WorkingRecord, to path: String, _ files: any FileLayer
    ) throws -> Bool {
        guard let file = record.file, let header = file.header, !record.path.isEmpty,
            try files.statusOfDocument(record.path) == nil, let status = try files.status(of: path)
        else { return false }
        // A package has moved with its file.
        let shown = StoreFilePlace(record.path).shownPath
        let place = try? files.status(of: WorkingDirectory.directory(of: shown))
        guard
            place?.device == file.device
                || (status.device == file.device && status.inode == file.inode),
            let reader = try? StoreFileReader(path, files: files)
        else { return false }
        return reader.header.mark == header.mark
    }
}

/// One opening of a store file, in a directory that is locked.
struct WorkingOpening {
    let directories: WorkingDirectories
    let directory: WorkingDirectory
    let options: WorkingStore.Options
    let log: LogSink
    let pace: Pace

    private var files: any FileLayer { directories.files }

    func open(
        _ path: String, _ found: WorkingRecord?, _ use: (TokyoBackend) throws -> Void
    ) throws -> WorkingStore.Opened {
        guard var record = found else { return try begin(WorkingRecord(path: path), use) }
        if record.path != path {
            record.path = path
            if let status = try files.status(of: path) {
                record.file = WorkingRecord.KnownFile(record.file?.header, status)
            }
            try directory.write(record)
        }
        try directory.sweep(record)
        if !options.discards, let opened = try goOn(record, use) { return opened }
        return try begin(record, use)
    }

    /// Goes on with the store that is there. `nil`: it has nothing that the file has not.
    private func goOn(
        _ record: WorkingRecord, _ use: (TokyoBackend) throws -> Void
    ) throws -> WorkingStore.Opened? {
        let root = directory.store(record.generation)
        guard try files.status(of: root) != nil else { return nil }
        var record = record
        let (standing, known) = try record.standing(files, pace)
        if let known, let header = known.header {
            (record.file, record.base) = (known, header.commitNumber)
        }
        if let header = record.file?.header, !header.isSealed, !options.keys.isEmpty {
            throw BackendError.notEncrypted(path: record.path)
        }
        let backend = try open(root, of: record)
        do {
            let last = try backend.lastCommit()
            var followers: Set<TableNumber> = []
            let hasEdits =
                try last > record.base
                && WorkingStore.hasEdits(in: backend, after: record.base, &followers)
            // What a power cut has taken back, the file has.
            guard last >= record.base, hasEdits || standing == .same else {
                try backend.close()
                return nil
            }
            if known != nil { try directory.write(record) }
            try use(backend)
            let working = WorkingStore(self, record, backend)
            working.state.withLock {
                ($0.hasEdits, $0.looked, $0.followers) = (hasEdits, last, followers)
            }
            let unsaved = WorkingStore.UnsavedCommits(last: last, standing: standing)
            return WorkingStore.Opened(working: working, unsaved: hasEdits ? unsaved : nil)
        } catch {
            try? backend.close()
            throw error
        }
    }

    private func open(
        _ root: String, of record: WorkingRecord
    ) throws(BackendError) -> TokyoBackend {
        // Errors about keys name what the caller knows.
        let path = record.path.isEmpty ? root : record.path
        let keys = options.keys.isEmpty ? [nil] : options.keys.map(Optional.some)
        for (place, key) in keys.enumerated() {
            do throws(BackendError) {
                return try TokyoBackend(
                    path: root, durability: options.durability, key: key, log: log, files: files)
            } catch .wrongKey where place + 1 < keys.count {
                continue
            } catch .wrongKey {
                throw .wrongKey(path: path)
            } catch .keyNeeded {
                throw .keyNeeded(path: path)
            } catch .notEncrypted {
                throw .notEncrypted(path: path)
            } catch {
                throw error
            }
        }
        throw .wrongKey(path: path)
    }

    /// Unpacks the file into a generation that is new, or begins an empty store.
    private func begin(
        _ former: WorkingRecord, _ use: (TokyoBackend) throws -> Void
    ) throws -> WorkingStore.Opened {
        let (record, backend, report) = try unpack(former)
        let followers: Set<TableNumber>
        do {
            followers = try WorkingStore.followers(in: backend)
            try use(backend)
            try directory.write(record)
        } catch {
            try? backend.close()
            try? files.removeTree(directory.store(record.generation))
            throw error
        }
        // If it stays, the next opening removes it.
        try? files.removeTree(directory.store(former.generation))
        let working = WorkingStore(self, record, backend)
        working.state.withLock { $0.followers = followers }
        return WorkingStore.Opened(working: working, unsaved: nil, report: report)
    }

    /// The store of the file that `former` names, as a new generation beside the one of `former`.
    func unpack(
        _ former: WorkingRecord
    ) throws -> (WorkingRecord, TokyoBackend, SalvageReport?) {
        var record = WorkingRecord(path: former.path)
        record.generation = former.generation + 1
        record.isTransient = options.isTransient
        let root = directory.store(record.generation)
        try files.removeTree(root)
        do {
            let report = try fill(root, &record)
            let backend = try open(root, of: record)
            if report != nil { record.base = try backend.lastCommit() }
            return (record, backend, report)
        } catch {
            try? files.removeTree(root)
            throw error
        }
    }

    /// - Returns: what was lost, of a damaged file.
    private func fill(_ root: String, _ record: inout WorkingRecord) throws -> SalvageReport? {
        guard !record.path.isEmpty, let status = try files.statusOfDocument(record.path) else {
            guard options.creates else { throw BackendError.noStore(path: record.path) }
            let place = StoreFilePlace(record.path)
            // It is the directory of a store.
            if place.isInPackage,
                try files.statusOfDocument(StorePaths(root: place.shownPath).log) != nil
            {
                throw BackendError.notAStore(path: place.shownPath)
            }
            try files.makeDirectory(root)
            return nil
        }
        pace.expect(status.size)
        var header: StoreFileHeader?
        do {
            let reader = try StoreFileReader(record.path, files: files)
            header = reader.header
            if !reader.header.isSealed, !options.keys.isEmpty {
                throw BackendError.notEncrypted(path: record.path)
            }
            record.file = WorkingRecord.KnownFile(reader.header, reader.status)
            record.base = reader.header.commitNumber
            if reader.metadata != nil, try reader.unpack(into: root, pace) {
                record.origin = .file
                return nil
            }
        } catch BackendError.corrupt {
            // The header is damaged.
        } catch BackendError.notAStore where status.isFile {
            // The magic may be damaged.
        }
        try files.removeTree(root)
        record.origin = .damagedFile
        record.file = WorkingRecord.KnownFile(nil, status)
        return try StoreFileSalvage(
            parts: directory.path + "/Damaged", files: files, key: options.keys.first, log: log,
            pace: pace
        ).run(record.path, header, into: root)
    }
}
