import CabinetBackend

extension StoredObject {
    /// The store that keeps the object; `nil` outside of one, and once the store has gone.
    public final var store: Store? { home.map { unsafeDowncast($0.context, to: Store.self) } }

    /// Why the content could not be read; `nil` if it could, or has not been touched yet.
    ///
    /// The object has the content of a new object then, and cannot be saved.
    public final var fetchError: (any Error)? {
        state.contains(.unreadable) ? home?.fetchErrors[rowID] : nil
    }

    /// Reads the content now if that has not happened yet, or tries again after a failure.
    ///
    /// - Throws: ``StoreError/rowGone(class:row:)``, ``StoreError/cannotRead(class:row:reason:)``,
    ///   ``StoreError/newerVersion(class:row:found:known:)``,
    ///   ``StoreError/classNotRegistered(_:)``, or a ``BackendError``. ``fetchError`` is the same.
    public final func load() throws { try store?.load(self) }
}
