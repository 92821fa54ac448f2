import CabinetBackend
import Foundation

/// The indexes, the text indexes and the table of referrers of a store: what ``Store/indexes`` gives.
///
/// ```swift
/// try store.indexes.register(.ordered(\Song.rating))
/// try store.indexes.build()
/// ```
///
/// Not `Sendable`: it belongs to the isolation domain of its store.
public struct StoreIndexes {
    let store: Store
}

extension Store {
    /// What can be done with the indexes of the store's classes.
    public var indexes: StoreIndexes { StoreIndexes(store: self) }
}

// Indexes that are not complete are built by a thread of their own.
extension StoreIndexes {
    /// How far the building of indexes is: in records, of all indexes together. `nil` while nothing is
    /// built. Cancel it to stop until a store is opened again, or ``build(progress:)`` called.
    ///
    /// A thread of its own builds the indexes that are not complete, from when a store that may save is
    /// opened. Queries scan meanwhile, and saves go on: one may have to wait until up to 65,536 keys
    /// are written, or, if nothing has committed for a while, up to 262,144. Closing the last store stops
    /// the work; the next opening goes on with it.
    public var progress: Progress? { store.hub.upkeep.progress }

    /// Waits until all indexes of the store's classes are complete and what saves leave for later is done
    /// (text indexes, references to classes that track their referrers), and has the store catch up with what
    /// others have saved, as ``Store/refresh()`` does.
    ///
    /// Over an engine without ``BackendFeatures/snapshots`` and ``BackendFeatures/bases`` it builds them
    /// itself; otherwise the next save does.
    /// - Parameter progress: says how far the work is, in records; cancel it to stop.
    /// - Throws: why an index cannot be built, such as ``StoreError/notUnique(class:index:row:by:)``: it
    ///   is not used, and the others are complete then; `CancellationError` if this or
    ///   ``progress`` was cancelled: the work goes on from there another time; what ``Store/refresh()``
    ///   throws; a ``BackendError``.
    public func build(progress: Progress? = nil) throws {
        guard let request = try request(progress) else { return }
        try takeUp(request)
    }

    /// As ``build(progress:)``, without blocking the caller's isolation domain.
    public func buildInBackground(
        progress: Progress? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard let request = try request(progress) else { return }
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
    /// Builds what is missing first, as ``build(progress:)`` does; a store that cannot save only looks.
    /// Without this call an opening goes on where records have equal keys in an index that was declared
    /// unique later. They stay, but a save that would give one more object such a key, or any other that an
    /// object has, throws ``StoreError/notUnique(class:index:row:by:)`` then, too; with a new key in it, it
    /// takes a pass over the records of the class.
    /// - Throws: ``StoreError/incompleteIndexes(_:)``; what ``build(progress:)`` throws, such as which
    ///   two objects have one key.
    public func require() throws {
        if store.maySave { try build() } else { try store.refresh() }
        let missing = try store.incompleteParts()
        guard missing.isEmpty else { throw StoreError.incompleteIndexes(missing) }
    }

    private func takeUp(_ request: UpkeepThread.Request) throws {
        // Also where one could not be built: the others are.
        let outcome = Result { try request.wait() }
        try store.refresh()
        try outcome.get()
    }

    /// Has a thread build what is not complete; `nil` if all is.
    private func request(_ progress: Progress?) throws -> UpkeepThread.Request? {
        try store.checkIdle()
        try store.refresh()
        guard try store.hasWork() else {
            let nothing = UpkeepProgress()
            nothing.show(in: progress)
            nothing.end()
            return nil
        }
        guard store.maySave else {
            throw BackendError.readOnly(path: store.backend.location)
        }
        guard store.isIsolated else {
            if let derived = store.derived { try TableBuilder(derived, UpkeepTask()).run() }
            return nil
        }
        return store.hub.upkeep.begin(for: store, isAwaited: true, progress)
    }
}
