import CabinetBackend

extension StoreQuery {
    /// The objects that ``objects()`` gives, found and read on another thread: the isolation domain of the
    /// store, the main actor for instance, only makes the objects, some thousand at a time, and does other
    /// work meanwhile.
    ///
    /// ```swift
    /// let songs = try await store.query(Song.self).filter(text: "year > 1960").fetchInBackground()
    /// ```
    ///
    /// What it gives is as of the moment at which it returns. If others' saves are taken up while it looks,
    /// it begins again; after the third time, and where pending changes may decide what is found, the store
    /// answers here, as ``objects()`` does. So it does over an engine without frozen readers.
    ///
    /// - Parameter isolation: the store's isolation domain.
    /// - Throws: what ``objects()`` throws; `CancellationError`, and what was read stays read.
    public func fetchInBackground(
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Object] {
        for _ in 0..<Self.attempts {
            try store.checkOpen()
            guard try !pendingChangesCount(), let reads = try BackgroundReads(of: store) else {
                break
            }
            let places = try await reads.places(of: query)
            try store.checkOpen()
            guard store.basis == reads.basis, try !pendingChangesCount() else { continue }
            let objects = store.objects(at: places)
            try await store.readInBackground(objects, isolation: isolation)
            // The classes that were asked are those of the query.
            let found = unsafeBitCast(objects, to: [Object].self)
            try await prefetchInBackground(of: found, isolation: isolation)
            guard store.basis == reads.basis, try !pendingChangesCount() else { continue }
            try store.requireContent(of: objects)
            return found
        }
        return try objects()
    }

    private static var attempts: Int { 3 }

    /// Whether something is pending of a class whose objects decide what the query finds.
    private func pendingChangesCount() throws -> Bool {
        store.reconcileEdits()
        guard store.overlay.hasPending else { return false }
        let run = try QueryRun(store, query)
        return try LiveReach(query, run.classes, in: store).classes.contains {
            store.overlay.hasPending(of: $0)
        }
    }

    private func prefetchInBackground(
        of found: [Object], isolation: isolated (any Actor)?
    ) async throws {
        for relation in query.prefetching where !found.isEmpty {
            try await store.readInBackground(
                found.flatMap { $0.targets(of: relation) }, isolation: isolation)
        }
    }
}
