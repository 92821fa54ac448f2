import CabinetBackend

extension StoredObject {
    /// The store that keeps the object; `nil` outside of one, and once the store has gone.
    public final var store: Store? {
        storedClass.map { unsafeDowncast($0.context, to: Store.self) }
    }

    /// Why the content, or one field of a `Codable` type, could not be read; `nil` if it could, or
    /// has not been touched yet.
    ///
    /// If the content could not be read, the object has that of a new object, and cannot be saved.
    /// If a field could not be decoded (``StoreError/cannotDecode(class:row:field:reason:)``), it
    /// alone has its initial value. The object can be saved, and its record keeps the field's bytes
    /// until the field is assigned a value. After a change of the field in place, `save()` throws
    /// ``StoreError/contentNotRead(class:row:)``: roll back the object, or all.
    public final var fetchError: (any Error)? {
        state.isDisjoint(with: [.unreadable, .keepsBytes]) ? nil : storedClass?.fetchErrors[rowID]
    }

    /// Reads the content now if that has not happened yet, or tries again after a failure.
    ///
    /// - Throws: ``StoreError/rowGone(class:row:)``, ``StoreError/cannotRead(class:row:reason:)``,
    ///   ``StoreError/newerVersion(class:row:found:known:)``,
    ///   ``StoreError/classNotRegistered(_:)``, or a ``BackendError``. ``fetchError`` is the same.
    public final func load() throws { try store?.load(self) }
}
