import CLibrary
import CabinetBackend
import Foundation

// Indexes that are not complete are built by a thread of their own.
extension Store {
    /// How far the building of indexes is: in records, of all indexes together. `nil` while nothing is
    /// built. Cancel it to stop until a store is opened again, or ``buildIndexes(progress:)`` called.
    ///
    /// A thread of its own builds the indexes that are not complete, from when a store that may save is
    /// opened. Queries scan meanwhile, and saves go on: one may have to wait until up to 65,536 keys
    /// are written, or, if nothing has committed for a while, up to 262,144. Closing the last store stops
    /// the work; the next opening goes on with it.
    public var indexProgress: Progress? { hub.annexIfMade(IndexWork.self)?.progress }

    /// Waits until all indexes of the store's classes are complete and what saves leave for later is done
    /// (text indexes, references to classes that track their referrers), and has the store catch up with what
    /// others have saved, as ``advance()`` does.
    ///
    /// Over an engine without ``BackendFeatures/snapshots`` and ``BackendFeatures/bases`` it builds them
    /// itself; otherwise the next save does.
    /// - Parameter progress: says how far the work is, in records; cancel it to stop.
    /// - Throws: why an index cannot be built, such as ``StoreError/notUnique(class:index:row:by:)``: it
    ///   is not used, and the others are complete then; `CancellationError` if this or
    ///   ``indexProgress`` was cancelled: the work goes on from there another time; what ``advance()``
    ///   throws; a ``BackendError``.
    public func buildIndexes(progress: Progress? = nil) throws {
        guard let request = try requestIndexes(progress) else { return }
        try takeUp(request)
    }

    /// As ``buildIndexes(progress:)``, without blocking the caller's isolation domain.
    public func indexesBuilt(
        progress: Progress? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard let request = try requestIndexes(progress) else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                request.whenEnded { continuation.resume() }
            }
        } onCancel: {
            request.progress.main.cancel()
        }
        try takeUp(request)
    }

    /// Throws unless every index of the store's classes holds: it has a key for each object, and what is
    /// declared unique is so. Call it after opening a store that depends on that.
    ///
    /// Builds what is missing first, as ``buildIndexes(progress:)`` does; a store that cannot save only looks.
    /// Without this call an opening goes on where records have equal keys in an index that was declared
    /// unique later. They stay, but a save that would give one more object such a key, or any other that an
    /// object has, throws ``StoreError/notUnique(class:index:row:by:)`` then, too; with a new key in it, it
    /// takes a pass over the records of the class.
    /// - Throws: ``StoreError/incompleteIndexes(_:)``; what ``buildIndexes(progress:)`` throws, such as which
    ///   two objects have one key.
    public func requireIndexes() throws {
        if maySave { try buildIndexes() } else { try advance() }
        let texts = try (self as Any as? any TextKeepingStore)?.textsLackingRecords() ?? []
        let missing = try indexesLackingKeys() + texts
        guard missing.isEmpty else { throw StoreError.incompleteIndexes(missing) }
    }

    private func takeUp(_ request: IndexWork.Request) throws {
        // Also where one could not be built: the others are.
        let outcome = Result { try request.wait() }
        try advance()
        try outcome.get()
    }

    /// Has a thread build what is not complete; `nil` if all is.
    private func requestIndexes(_ progress: Progress?) throws -> IndexWork.Request? {
        try checkIdle()
        try advance()
        guard try hasIndexWork() else {
            let nothing = IndexProgress()
            nothing.show(in: progress)
            nothing.end()
            return nil
        }
        guard maySave else { throw BackendError.readOnly(path: backend.location) }
        guard isIsolated else {
            if let indexKeeper {
                try IndexBuilder(self, indexKeeper, IndexProgress()).run()
            }
            return nil
        }
        return indexWork.begin(for: self, isAwaited: true, progress)
    }

    /// Returns once no commit is under way that may not know what was registered so far, or what the catalog
    /// says of indexes: what is read then has all records that such a commit has added.
    func waitForUnawares(_ checkCancelled: () throws -> Void) throws {
        let generation = hub.generation
        while hub.isCommitting(before: generation), !GuardedStep.waitForUnawares.isLeftOut {
            try checkCancelled()
            if !SchedulePoint.sleep.pass() { usleep(500) }
        }
    }

    private var maySave: Bool {
        backend.access == .readWrite && !isSnapshot && !backend.isFollower
    }

    private var indexWork: IndexWork { hub.annex(IndexWork.self) { IndexWork() } }

    /// An index was registered. Unlike at an opening, work that is under way may have passed its class.
    func beginMoreIndexWork() {
        if isIsolated { indexWork.begin(for: self, isAwaited: true) }
    }

    func beginIndexWork() throws {
        guard maySave, isIsolated else { return }
        let refused = hub.annexIfMade(IndexWork.self)?.refused ?? []
        if try hasIndexWork(passedOver: refused) { indexWork.begin(for: self) }
    }

    private func hasIndexWork(passedOver refused: Set<String> = []) throws -> Bool {
        if try indexKeeper?.hasWork(passedOver: refused) == true || hasReferrerWork() {
            return true
        }
        return try (self as Any as? any TextKeepingStore)?.hasTextWork() ?? false
    }

    /// A text index or the table of referrers is to be brought into form.
    func beginUpkeep() { if maySave, isIsolated { indexWork.begin(for: self, repeats: true) } }
}
