import CabinetBackend
import Foundation

extension Store {
    /// The names of the migrations that are still to run, in their order. Reads one entry of the
    /// catalog for each migration, unless all have run.
    /// - Throws: ``StoreError/closed``, or a ``BackendError``.
    public func pendingMigrations() throws -> [String] {
        try checkOpen()
        if !awaitsMigrations { return [] }
        let waiting = try migrationsToRun().map(\.name)
        return try isNew() ? [] : waiting
    }

    /// Runs the migrations that are still to run, in their order, each in a save of its own.
    ///
    /// Call it after opening, before the program makes changes: changes that are pending when a
    /// migration begins are written by its save. If the program saves first, the first ``save()``
    /// runs all of them instead. Cost where nothing is to run: that of ``pendingMigrations()``.
    ///
    /// A migration runs in the isolation domain of the store without a pause; between two of them
    /// other tasks of the domain come in, and they may use the store. A program whose screen must
    /// not stand still meanwhile calls this on a store in an actor of its own, before it opens the
    /// one that the screen shows. A kill, an error or a cancellation loses the migration that is
    /// running as a whole; those before it were saved, and the next call goes on behind them.
    ///
    /// A migration is no step of undo: it forgets all steps. Other stores take up what it changed as they do any
    /// save. It finds what others have saved before it began; if another program runs it at the same time, one of
    /// the two is taken back, and its caller goes on with the next.
    /// - Parameters:
    ///   - progress: gets one unit for each migration, which the migration may divide further; cancel
    ///     it, or the task, to stop.
    ///   - isolation: the caller's actor, in which the migrations run.
    /// - Throws: ``StoreError/migrationFailed(_:)`` with what a migration threw, `CancellationError`,
    ///   ``StoreError/migrationUnderWay``, or what ``save()`` throws, such as
    ///   ``BackendError/readOnly(path:)``. The changes of that migration are taken back, others are
    ///   still pending, and the store can be used.
    public func migrate(
        progress: Progress? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try checkIdle()
        let count = try pendingMigrations().count
        progress?.totalUnitCount = Int64(max(count, 1))
        for number in 0..<count {
            if number > 0 {
                await Task.yield()
                try checkIdle()
            }
            // Another task may have saved meanwhile.
            guard awaitsMigrations, let next = try migrationsToRun().first else { break }
            if Task.isCancelled || progress?.isCancelled == true { throw CancellationError() }
            let part = Progress(totalUnitCount: 1)
            progress?.addChild(part, withPendingUnitCount: 1)
            try run([next], part)
        }
        progress?.completedUnitCount = progress?.totalUnitCount ?? 0
    }

    func saveWithMigrations(onConflict policy: ConflictPolicy) throws {
        guard backend.access == .readWrite else { return try writeChanges() }
        let waiting = try migrationsToRun()
        if waiting.isEmpty { return try writeChanges(onConflict: policy) }
        guard try isNew() else { return try run(waiting, nil) }
        guard hasChanges else { return try writeChanges(onConflict: policy) }
        let entries = MigrationEntries(waiting, haveRun: false, in: self)
        do {
            try writing(entries) { try writeChanges(onConflict: policy) }
        } catch StoreError.migrationUnderWay {
            // Another program has begun it at the same time.
            return try saveWithMigrations(onConflict: policy)
        }
        // Validation may have taken back all that was pending.
        if entries.isCommitted { awaitsMigrations = false }
    }

    private func migrationsToRun() throws -> [Migration] {
        try backend.refreshBesideOthers()
        let waiting = try migrations.filter {
            try backend.catalogEntry(CatalogName.migration($0.name)) == nil
        }
        if waiting.isEmpty { awaitsMigrations = false }
        return waiting
    }

    func isNew() throws -> Bool {
        if isVersioningRecorded { return false }
        return try backend.tables().isEmpty && backend.count(of: .namedBuffers) == 0
            && Self.recordedVersioning(in: backend) == nil
    }

    private func run(_ waiting: [Migration], _ progress: Progress?) throws {
        if let refusal { throw refusal }
        guard backend.access == .readWrite else {
            throw BackendError.readOnly(path: backend.location)
        }
        guard MigrationClaims.claim(backend) else { throw StoreError.migrationUnderWay }
        defer { MigrationClaims.release(backend) }
        while true {
            let left = try left(of: waiting)
            // Afterwards: what is left is to find what all that ran have saved.
            try refresh()
            if left.isEmpty { return try writeChanges() }
            do { return try runAndSave(left, progress) } catch let error as CancellationError {
                throw error
            } catch BackendError.outcomeUnknown(let token) {
                throw BackendError.outcomeUnknown(token: token)
            } catch {
                // Another program has run some at the same time: the rest are to run over what it has saved.
                guard let rest = try? self.left(of: left), rest.count < left.count else {
                    throw error
                }
            }
        }
    }

    private func left(of waiting: [Migration]) throws -> [Migration] {
        let names = Set(try migrationsToRun().map(\.name))
        return waiting.filter { names.contains($0.name) }
    }

    private func runAndSave(_ waiting: [Migration], _ progress: Progress?) throws {
        let entries = MigrationEntries(waiting, haveRun: true, in: self)
        try takingBackOnError {
            for migration in waiting { try run(migration, progress) }
            try writing(entries) { try writeChanges(isForced: true) }
        }
        if entries.isCommitted, waiting.last?.name == migrations.last?.name {
            awaitsMigrations = false
        }
    }

    private func run(_ migration: Migration, _ progress: Progress?) throws {
        do {
            try migration.body(self, progress ?? Progress(totalUnitCount: 1))
            reconcileEdits()
            if let refusal { throw refusal }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw StoreError.migrationFailed(
                MigrationFailure(migration: migration.name, error: error))
        }
        if let progress, progress.isCancelled || Task.isCancelled { throw CancellationError() }
    }

    /// Calls `body`, whose saves `participant` joins.
    private func writing(_ participant: any CommitParticipant, _ body: () throws -> Void) throws {
        participants.append(participant)
        defer {
            participants.removeAll { $0 === participant }
            // One that was added behind it has another place now.
            noteFollowed()
        }
        try body()
    }
}

/// The backends over which a store is migrating: two stores must not run a migration twice.
private enum MigrationClaims {
    private static let claimed = Guarded<Set<ObjectIdentifier>>([])

    /// `false` if another store has the claim. The caller holds the backend meanwhile.
    static func claim(_ backend: any Backend) -> Bool {
        claimed.withLock { $0.insert(ObjectIdentifier(backend)).inserted }
    }

    static func release(_ backend: any Backend) {
        claimed.withLock { _ = $0.remove(ObjectIdentifier(backend)) }
    }
}
