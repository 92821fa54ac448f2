import CabinetBackend

extension StoreContainer {
    /// Calls `body` with a store of its own, on an actor of its own, and saves what it has changed.
    ///
    /// One `body` runs at a time. If another store has saved a change of the same objects
    /// meanwhile, `body` is called again with a new store, three calls at most; then
    /// ``StoreError/conflict(_:)`` is thrown. If `body` throws, nothing is saved. A task that is
    /// cancelled before the commit saves nothing and gets a `CancellationError`; after the commit,
    /// cancelling has no effect.
    ///
    /// What `body` itself has saved stays, whatever follows: it is not called again then, and a later conflict is
    /// thrown. So save in it once, at its end, or not at all.
    ///
    /// ```swift
    /// let id = try await container.write { store in
    ///     let song = Song()
    ///     store.insert(song)
    ///     try store.save()  // gives the object its ID
    ///     return song.objectID
    /// }
    /// ```
    /// - Parameters:
    ///   - author: who makes the commit, as ``StoreCommit/author`` tells; `nil`: not said.
    ///   - body: must not keep the store or objects of it.
    /// - Throws: what `body` and `save()` throw, `CancellationError`, and what
    ///   ``makeStore(fileID:line:)`` throws.
    public func write<Result: Sendable>(
        author: String? = nil, _ body: @Sendable (Store) throws -> Result
    ) async throws -> Result {
        try await writer.write(to: self, author: author, body)
    }

    /// Calls `body` with a store that stays at the last commit, whatever others save meanwhile. Any
    /// number of them run at the same time, beside writers.
    ///
    /// The store cannot save: a message warns of changes of its objects, which are dropped. While `body`
    /// runs, the engine keeps what commits replace.
    /// - Parameters:
    ///   - fileID: with `line`, what ``openSnapshots`` says of the store.
    ///   - line: see `fileID`.
    ///   - body: must not keep the store or objects of it.
    /// - Throws: what `body` throws; `BackendError.unsupported` if the engine has no frozen
    ///   readers; what ``makeStore(fileID:line:)`` throws.
    @concurrent
    public func read<Result: Sendable>(
        fileID: String = #fileID, line: Int = #line, _ body: @Sendable (Store) throws -> Result
    ) async throws -> Result {
        try backend.refreshBesideOthers()
        let store = try makeStore(over: try backend.snapshot(fileID: fileID, line: line))
        defer { try? store.close() }
        return try body(store)
    }

    /// A store that stays at the commit of `reader`.
    func makeStore(over reader: any BackendReader) throws -> Store {
        let store = try Store(
            backend: backend, reader: reader, classes: classes, migrations: [],
            versioning: versioning, log: log, parts: Store.allParts)
        _ = store.annex(StoreContainer.self) { _ in self }
        return store
    }
}

/// Makes the changes of ``StoreContainer/write(author:_:)``, one after the other.
actor StoreWriter {
    private static let attempts = 3

    func write<Result: Sendable>(
        to container: StoreContainer, author: String?, _ body: @Sendable (Store) throws -> Result
    ) throws -> Result {
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let store = try container.makeStore()
            // What was saved is safe; what was not, this call throws.
            defer { try? store.abandon() }
            store.author = author
            do {
                let result = try body(store)
                try Task.checkCancellation()
                try store.save()
                return result
            } catch StoreError.conflict(let conflicts) {
                // What `body` has saved would be there twice.
                guard attempt < Self.attempts, !store.hasSaved else {
                    throw StoreError.conflict(conflicts)
                }
                attempt += 1
            }
        }
    }
}
