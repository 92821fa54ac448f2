import CLibrary
import CabinetBackend

extension WorkingStore {
    /// Why a store file was not written. `Sendable`: a value.
    package enum Refusal: Error, Hashable, Sendable {
        /// It is not what it was; see ``StoreFileStanding``.
        case standing(StoreFileStanding, path: String)
        /// Another user has left commits that the file at the path has not.
        case unsavedCommits(path: String)
        /// The store has no file yet.
        case noFile
        /// There is a commit behind the one that the file was to be as of.
        case passed
    }

    /// Writes all commits so far into the file.
    ///
    /// The file is written aside and renamed: at each moment the former or the new one is there.
    /// - Parameters:
    ///   - metadata: what the file says of itself.
    ///   - last: the commit that must be the last one; `nil`: any.
    ///   - overwriting: whether a file that is not what it was is replaced all the same.
    /// - Throws: ``Refusal``, ``BackendError``, `CancellationError`. The file is as before then; if the
    ///   directory could not be synced, it may be the new one, which the next save knows.
    package func save(
        _ metadata: [UInt8], asOf last: CommitNumber? = nil, overwriting: Bool = false,
        _ reporter: (any WorkReporter)? = nil
    ) throws {
        try changing.withLock {
            guard let path else { throw Refusal.noFile }
            let pace = Pace(reporter)
            if !overwriting { try checkStanding(pace) }
            try withFile(metadata, asOf: last, besides: path, pace) { aside, header in
                if !overwriting { try checkStanding(pace) }
                try put(aside)
                try note(header, at: path)
            }
            reporter?.finish()
        }
    }

    /// Writes all commits so far into a file at `path`, which from now on is the store's.
    /// - Throws: as ``save(_:overwriting:_:)``; `.system` with `EEXIST` if there is something at `path` and
    ///   `overwriting` is `false`; ``BackendError/busy(path:holder:)`` if it is open elsewhere.
    package func move(
        to path: String, _ metadata: [UInt8], asOf last: CommitNumber? = nil,
        overwriting: Bool = false, _ reporter: (any WorkReporter)? = nil
    ) throws {
        if path == self.path {
            return try save(metadata, asOf: last, overwriting: overwriting, reporter)
        }
        try write(metadata, asOf: last, to: path, overwriting: overwriting, reporter) { header in
            try self.note(header, at: path)
        }
    }

    /// Writes all commits so far into a file at `path`, to which the store has no relation afterwards.
    /// - Throws: as ``move(to:_:overwriting:_:)``.
    package func duplicate(
        to path: String, _ metadata: [UInt8], asOf last: CommitNumber? = nil,
        overwriting: Bool = false, _ reporter: (any WorkReporter)? = nil
    ) throws {
        try write(metadata, asOf: last, to: path, overwriting: overwriting, reporter) { _ in }
    }

    private func write(
        _ metadata: [UInt8], asOf last: CommitNumber?, to path: String, overwriting: Bool,
        _ reporter: (any WorkReporter)?, _ done: (StoreFileHeader) throws -> Void
    ) throws {
        try changing.withLock {
            try checkPlace(path, overwriting)
            // So that an unfinished file is found again.
            try change { $0.aside = WorkingDirectory.directory(of: path) }
            try withFile(metadata, asOf: last, besides: path, Pace(reporter)) { aside, header in
                try directories.withLock {
                    try checkPlace(path, overwriting)
                    try removeLeft(at: path)
                    try put(aside)
                    try done(header)
                }
            }
            try change { $0.aside = "" }
            reporter?.finish()
        }
    }

    // MARK: Steps

    /// Changes the record, on the device too.
    func change(_ body: (inout WorkingRecord) -> Void) throws(BackendError) {
        var record = record
        body(&record)
        try directory.write(record)
        state.withLock { $0.record = record }
    }

    /// Has `body` use a new file beside `path`, or a new package, which is gone afterwards unless it was renamed.
    private func withFile(
        _ metadata: [UInt8], asOf last: CommitNumber?, besides path: String, _ pace: Pace,
        _ body: (_ aside: StoreFilePlace.Aside, _ header: StoreFileHeader) throws -> Void
    ) throws {
        let aside = try StoreFilePlace(path).aside(named: directory.asideName, files)
        let content = directory.contentPath
        defer { try? files.remove(content) }
        let (header, metadata, keys) = try writeContent(to: content, metadata, asOf: last, pace)
        var isDone = false
        defer { if !isDone { try? files.removeTree(aside.root) } }
        if aside.isDirectory { try files.makeDirectory(aside.root) }
        let isEmpty = header.commitNumber == 0
        let written = try StoreFileWriter(
            files: files, content: isEmpty ? nil : content, metadata: metadata,
            keys: keys
        ).write(header, to: aside.file, pace)
        if aside.isDirectory { try files.syncDirectory(aside.root) }
        files.copyPermissions(of: path, to: aside.file)
        try body(aside, written)
        isDone = true
    }

    /// Makes a snapshot of all commits at `path`. Returns the header of a file of it, the metadata as
    /// they stand there, and its keys.
    private func writeContent(
        to path: String, _ metadata: [UInt8], asOf last: CommitNumber?, _ pace: Pace
    ) throws -> (StoreFileHeader, [UInt8], KeyFile?) {
        let state = state.withLock { $0 }
        let (backend, line) = (state.backend, state.record.line)
        return try backend.upkeep.compacting.withLock {
            var commitNumber: CommitNumber = 0
            if let frozen = try backend.freeze() {
                if let last, frozen.commitNumber != last { throw Refusal.passed }
                // About as much is written twice as is read.
                pace.expect(frozen.size + frozen.size / 2)
                try frozen.writeSnapshot(to: path, in: directory.path, pace)
                commitNumber = frozen.commitNumber
            }
            var header = StoreFileHeader(
                mark: .random(), line: line, commitNumber: commitNumber,
                time: SystemClock.microseconds())
            let keys =
                backend.isEncrypted
                ? try KeyFile.read(backend.commitLog.paths.key, files) : nil
            guard let sealer = backend.files.sealer, !state.showsMetadata else {
                return (header, metadata, keys)
            }
            header.sealsMetadata = true
            let binding = SealBinding(metadataOf: header.mark).bytes
            return (header, sealer.sealed(metadata, boundTo: binding), keys)
        }
    }

    private func put(_ aside: StoreFilePlace.Aside) throws(BackendError) {
        try files.rename(aside.root, to: aside.target)
        try files.syncDirectory(WorkingDirectory.directory(of: aside.target))
    }

    /// Notes that the file at `path`, with that header, has the commits so far.
    private func note(_ header: StoreFileHeader, at path: String) throws {
        guard let status = try files.status(of: path) else { return }
        try change { record in
            record.path = path
            // What has a place outlives its process.
            record.isTransient = false
            record.origin = .file
            record.file = WorkingRecord.KnownFile(header, status)
            record.base = header.commitNumber
        }
        let followers = try Self.followers(in: backend)
        state.withLock { state in
            state.followers = followers
            state.looked = header.commitNumber
            state.hasEdits = false
            // The file has the newest now.
            state.keys = Array(state.keys.prefix(1))
        }
    }

    // MARK: What is there

    private func checkStanding(_ pace: Pace) throws {
        let record = record
        let (standing, known) = try record.standing(files, pace)
        switch standing {
        case .same, .none: break
        case .changed, .missing, .damaged:
            throw Refusal.standing(standing, path: record.path)
        }
        if let known { state.withLock { $0.record.file = known } }
    }

    private func checkPlace(_ path: String, _ overwriting: Bool) throws {
        for entry in try directories.entries()
        where entry.record?.path == path && entry.path != directory.path {
            guard let left = try WorkingDirectory(locking: entry.path, files: files) else {
                throw BackendError.busy(path: path, holder: "")
            }
            let isDropped = withExtendedLifetime(left) { overwriting }
            if !isDropped { throw Refusal.unsavedCommits(path: path) }
        }
        guard let status = try files.status(of: path) else { return }
        guard overwriting, status.isFile else {
            throw BackendError.system(operation: "open", path: path, code: EEXIST)
        }
    }

    /// Removes working directories that others have left of a file that is overwritten; under the lock.
    private func removeLeft(at path: String) throws {
        for entry in try directories.entries()
        where entry.record?.path == path && entry.path != directory.path {
            try WorkingDirectory(locking: entry.path, files: files)?.remove()
        }
    }
}
