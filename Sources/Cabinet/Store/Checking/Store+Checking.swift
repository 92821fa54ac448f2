import CabinetBackend
import Foundation

extension Store {
    /// Looks at everything that is saved and says what is not as it should be: what the engine's
    /// own check finds (log, files against log, rows that could be given out twice),
    /// records that cannot be read, references to rows that are not there, whether both sides of
    /// relationships with an inverse say the same, whether the table of referrers agrees, and whether
    /// the complete indexes and text indexes of the store's classes hold the keys and words of their
    /// records.
    ///
    /// Records of declared fields are read by what the catalog says of them, off the caller's
    /// actor. Those that classes write by hand are read in the caller's domain, a run of about
    /// 256 KiB at a time, by instances apart from the store's objects. Between runs the store may
    /// be used, and saved: what a save changes meanwhile is looked at again before it is called
    /// wrong. The keys and words of indexes are made in the caller's domain, too, a run at a time, each
    /// index as of one commit. Pending changes do not count. Memory: a bit for each row, and another
    /// for each relationship with an inverse that its record may not know; 1 MiB for comparing
    /// inverses or an index, and 16 MiB where they differ, whatever the size of the store: of an index
    /// that differs in more places, not all rows are found. The engine's part takes the room
    /// of one snapshot on the disk while it goes on. Nothing is repaired.
    /// - Parameters:
    ///   - progress: says how far the check is; cancel it to stop.
    ///   - isolation: the caller's actor, in which hand-written records are read.
    /// - Throws: ``StoreError/closed``, `CancellationError`, or a ``BackendError``. Damage is no
    ///   error but a finding.
    public func check(
        progress: Progress? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> CheckReport {
        try checkOpen()
        if progress?.isCancelled == true { throw CancellationError() }
        progress?.totalUnitCount = 100
        func share(_ units: Int64) -> Progress? {
            progress.map { Progress(totalUnitCount: 0, parent: $0, pendingUnitCount: units) }
        }
        let (engineShare, graphShare) = (share(60), share(40))
        let damage = try await engineFindings(engineShare)
        try checkOpen()
        let schema = try StoreSchema(backend)
        let reader = try HandWrittenReader(for: self, schema)
        let check = try GraphCheck(
            backend, schema, readable: Set(reader?.storedClasses.map(\.number) ?? []), graphShare)
        for finding in damage { await check.note(finding) }
        try await check.readRows()
        try await check.checkRecords()
        try await check.checkInverses()
        for storedClass in reader?.storedClasses ?? [] {
            guard let reader else { continue }
            try await look(at: storedClass, by: reader, check, isolation: isolation)
        }
        try await check.checkReferrers()
        if let reader {
            let referrers = await check.referrers
            for owner in await check.doubtful {
                try checkOpen()
                for found in try reader.confirmed(.referrers, of: owner, referrers) {
                    await check.add(found, of: owner)
                }
            }
        }
        for part in parts {
            for finding in try await part.findings(in: self, isolation: isolation) {
                await check.note(finding)
            }
        }
        return await check.finish()
    }

    /// Reads the hand-written records of one class.
    private func look(
        at storedClass: StoredClass, by reader: HandWrittenReader, _ check: GraphCheck,
        isolation: isolated (any Actor)?
    ) async throws {
        let referrers = await check.referrers
        do {
            let run = RecordRun()
            let cursor = try backend.records(in: storedClass.table)
            while try cursor.next(run) {
                let findings = try reader.read(run, of: storedClass)
                for (owner, suspect) in try await check.take(findings, of: storedClass.name) {
                    for found in try reader.confirmed(suspect, of: owner, referrers) {
                        await check.add(found, of: owner)
                    }
                }
                try checkOpen()
            }
        } catch BackendError.corrupt(let path, let offset) {
            let error = BackendError.corrupt(path: path, offset: offset)
            await check.note(
                CheckFinding(.damage, className: storedClass.name, reason: error.description))
        }
    }
}

extension GraphCheck {
    /// Takes over what was read of hand-written records, and says what must be confirmed.
    func take(
        _ findings: HandWrittenReader.Findings, of name: String
    ) async throws -> [(ClassRow, Suspect)] {
        for finding in findings.unreadable { note(finding) }
        report.records += findings.unreadable.count
        noteUnread(name, findings.unread)
        let suspects = try suspects(among: findings.owners)
        try await pause(findings.count)
        return suspects
    }
}

extension StoreSchema {
    /// Looks at every record of `backend` that can be read without its class, as
    /// ``Store/check(progress:isolation:)`` does, saves going on beside it. What only a class can
    /// read is counted in ``CheckReport/unread``.
    ///
    /// The engine's own check is not made.
    /// - Throws: `CancellationError`, or a ``BackendError``.
    public static func check(
        _ backend: any Backend, progress: Progress? = nil
    ) async throws -> CheckReport {
        let check = try GraphCheck(backend, StoreSchema(backend), progress)
        try await check.readRows()
        try await check.checkRecords()
        try await check.checkInverses()
        try await check.checkReferrers()
        return await check.finish()
    }
}
