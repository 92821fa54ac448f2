import CabinetBackend
import Foundation

extension TokyoBackend: StoreMaintenance {
    /// Reads everything and says what is not as it should be: whether every frame of the log and
    /// every block of the snapshot is whole, whether every record of the views is what was
    /// written and what the log says, and whether no row can be given out twice.
    ///
    /// Saves and reads go on beside it; it speaks of the saves made before it began. It takes the
    /// room of one snapshot on the disk while it goes on. Nothing is repaired; view files that
    /// opening found damaged have been rebuilt by then, unless the store may not be changed.
    ///
    /// - Throws: `BackendError`, `.busy` of a store that another process writes if that one replaces files of the log
    ///   again and again; or `CancellationError` when the task or `progress` was cancelled. Damage is no error but a
    ///   finding.
    public func check(progress: Progress? = nil) async throws -> EngineReport {
        try await check(reportingTo: ProgressReporter(progress))
    }

    public func check(reportingTo reporter: (any WorkReporter)?) async throws -> EngineReport {
        try checkProcess()
        return try await Pace.run(reporter) { pace in
            try self.upkeep.compacting.withLock { try self.checkAll(pace) }
        }
    }

    /// What another process does to the log is no damage: then its commits are taken up, and all is looked at again.
    private func checkAll(_ pace: Pace) throws -> EngineReport {
        guard isFollower else { return try StoreCheck(self, pace).run() }
        let changes = DirectoryChanges(files: files, paths: commitLog.paths)
        for _ in 0..<Self.checks {
            let names = try changes.names()
            do {
                try refresh()
                let report = try StoreCheck(self, pace).run()
                if try report.findings.isEmpty || changes.names() == names { return report }
            } catch let error as BackendError {
                if try changes.names() == names { throw error }
            }
        }
        throw BackendError.busy(
            path: location, holder: "a process that replaces its log all the time")
    }

    /// So often the files of the log may change while they are looked at.
    private static let checks = 20

    /// Says how much room the store takes, and for what. Saves and reads go on beside it.
    ///
    /// - Throws: `BackendError`, or `CancellationError`.
    public func storageReport(progress: Progress? = nil) async throws -> StorageReport {
        try await storageReport(reportingTo: ProgressReporter(progress))
    }

    public func storageReport(
        reportingTo reporter: (any WorkReporter)?
    ) async throws -> StorageReport {
        try checkProcess()
        return try await Pace.run(reporter) { pace in try self.measure(pace) }
    }

    /// Makes a new snapshot of all saves so far and removes the log that it replaces, and with it
    /// the authors and notes of these saves. Saves and reads go on beside it. The engine does so by
    /// itself when the log has grown long.
    ///
    /// - Throws: `BackendError`, or `CancellationError`. Then everything is as before.
    public func compact(progress: Progress? = nil) async throws {
        try await compact(reportingTo: ProgressReporter(progress))
    }

    public func compact(reportingTo reporter: (any WorkReporter)?) async throws {
        try checkProcess()
        try await Pace.run(reporter) { pace in
            try self.checkPace(pace)
            var known: UInt64 = 0
            pace.expect(try self.operationEstimate())
            let isDone = try self.compact(
                progress: { progress in
                    pace.advance(progress.read + progress.written - known)
                    known = progress.read + progress.written
                }, isCancelled: { pace.isStopped })
            if !isDone { try self.checkPace(pace) }
        }
    }

    /// Writes all saves so far into a new directory at `path`, which becomes a store like this
    /// one. Saves and reads go on beside it; later saves are not in it. It holds what the saves
    /// left, not their authors and notes. The directory has its name only when it is whole and on
    /// the device.
    ///
    /// - Throws: `BackendError`, `.system` with `EEXIST` if there is something at `path`; or
    ///   `CancellationError`. Then there is nothing at `path`.
    public func backup(to path: String, progress: Progress? = nil) async throws {
        try await backup(to: path, reportingTo: ProgressReporter(progress))
    }

    public func backup(
        to path: String, reportingTo reporter: (any WorkReporter)?
    ) async throws {
        try checkProcess()
        try await Pace.run(reporter) { pace in
            try self.upkeep.compacting.withLock { try Backup(self, pace).write(to: path) }
        }
    }

    /// Reads whatever can be read in the damaged store at `path`, a directory or a store file, and makes a
    /// new store of it at `newPath`: frames of the log before and behind holes, blocks of the snapshot that are
    /// whole, and where something of these is lost, records of the views with right checksums.
    ///
    /// The damaged store is not changed, and must not be in use. A row that was deleted in a save
    /// that is lost may be there again. Authors and notes of saves are not brought over. A store that is sealed by
    /// `key` is read with it, and so is the new one; without its file of keys nothing of it can be read.
    ///
    /// - Throws: `BackendError`, `.system` with `EEXIST` if there is something at `newPath`,
    ///   `.notAStore` if there is nothing of a store at `path`; or `CancellationError`. Then there
    ///   is nothing at `newPath`.
    public static func salvage(
        from path: String, into newPath: String, key: StoreKey? = nil, progress: Progress? = nil
    ) async throws -> SalvageReport {
        try await salvage(
            from: path, into: newPath, key: key, progress: progress, files: SystemFiles())
    }

    package static func salvage(
        from path: String, into newPath: String, key: StoreKey? = nil, progress: Progress? = nil,
        files: any FileLayer
    ) async throws -> SalvageReport {
        try await Pace.run(ProgressReporter(progress)) { pace in
            guard try files.status(of: path)?.isFile == true else {
                return try Salvage(from: path, key: key, files: files, pace).run(into: newPath)
            }
            return try StoreFileSalvage(
                parts: newPath + ".parts", files: files, key: key, log: .none, pace: pace
            ).run(path, into: newPath)
        }
    }

    /// The tables whose view files were found damaged since the store was opened.
    package var tablesFoundDamaged: Set<TableNumber> {
        get throws(BackendError) {
            try checkProcess()
            return try lock.reading { () throws(BackendError) in
                try checkOpen()
                return Set(damagedViews)
            }
        }
    }

    /// Rebuilds the views of `tables` from the log, even if they look sound.
    package func rebuildViews(of tables: Set<TableNumber>) throws(BackendError) {
        try checkProcess()
        for number in tables.inOrder() {
            let path = try lock.reading { () throws(BackendError) in
                try checkOpen()
                return table(number).map { paths.view(of: $0.definition) }
            }
            if let path { try rebuild(number, path: path, offset: 0) }
        }
    }

    /// About how many operations a compaction reads and writes.
    func operationEstimate() throws(BackendError) -> UInt64 {
        try lock.reading { () throws(BackendError) in
            try checkOpen()
            return byNumber.reduce(0) { $0 + UInt64((try? $1?.count()) ?? 0) * 2 }
        }
    }
}
