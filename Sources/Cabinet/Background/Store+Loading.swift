extension Store {
    /// Reads what `relation` leads to from `owner` on another thread, as the same call does for many owners.
    ///
    /// ```swift
    /// let songs = try await store.load(playlist, \.songs)
    /// ```
    /// - Parameters:
    ///   - owner: an object of the store.
    ///   - relation: one of its relationships.
    ///   - isolation: the store's isolation domain.
    /// - Returns: the objects that `relation` leads to, each once, in its order.
    /// - Throws: as the same call for many owners.
    @discardableResult
    public func load<Owner: StoredObject, Value: RelationshipValue>(
        _ owner: Owner, _ relation: KeyPath<Owner, Value>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Value.Target] {
        try await load([owner], relation, isolation: isolation)
    }

    /// Reads what `relation` leads to from each of `owners`, and first the owners, on another thread: the
    /// isolation domain of the store, the main actor for instance, only makes the objects, some thousand at a
    /// time, and does other work meanwhile. Otherwise as ``prefetch(_:of:)``.
    ///
    /// - Parameters:
    ///   - owners: objects of the store.
    ///   - relation: one of their relationships.
    ///   - isolation: the store's isolation domain.
    /// - Returns: the objects that `relation` leads to, each once, in the order in which they were met.
    /// - Throws: ``StoreError/wrongStore(class:)``, ``StoreError/closed``, `CancellationError`, a
    ///   ``BackendError``. What was read stays read.
    @discardableResult
    public func load<Owner: StoredObject, Value: RelationshipValue>(
        _ owners: some Sequence<Owner>, _ relation: KeyPath<Owner, Value>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Value.Target] {
        try checkOpen()
        let owners = Array(owners)
        try await readInBackground(owners, isolation: isolation)
        let targets = owners.flatMap { $0[keyPath: relation].relatedObjects }.eachOnce()
        try await readInBackground(targets, isolation: isolation)
        return targets
    }
}
