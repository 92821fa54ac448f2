import CabinetBackend

/// Buffers under names, saved together with the objects: settings, favourites, anything that a
/// ``DataBuffer`` holds, references included.
///
/// ```swift
/// let buffer = DataBuffer()
/// buffer.writeReference(song)
/// store.names["Favorite"] = buffer
/// ```
///
/// Not `Sendable`; lives as long as its store.
public final class NamedBuffers {
    /// A copy of a buffer. It holds no store, which would hold it in turn.
    private struct Copy {
        let bytes: [UInt8]
        let writeError: (any Error)?
        /// Whether the buffer was written or read in another store.
        let isForeign: Bool
    }

    private unowned let store: Store
    /// What the next save sets (or removes, with `nil`).
    private var pending: [String: Copy?] = [:]

    init(_ store: Store) { self.store = store }

    var hasChanges: Bool { !pending.isEmpty }

    /// The buffer under `name`, a copy of its own, ready to be read from its front; `nil` if there
    /// is none. Setting one copies all its bytes; setting `nil` removes the name.
    ///
    /// A buffer that the backend cannot read is `nil` here, and the reason goes to the log sink;
    /// ``buffer(for:)`` throws it. Setting one in a closed store does nothing but tell the log sink.
    ///
    /// A buffer with references, or one that was read, belongs to its store: set in another one,
    /// `save()` throws ``StoreError/wrongStore(class:)``.
    public subscript(name: String) -> DataBuffer? {
        get {
            do { return try buffer(for: name) } catch {
                store.log(.error, "The named buffer '\(name)' cannot be read: \(error)")
                return nil
            }
        }
        set {
            do { try store.checkOpen() } catch {
                return store.log(.error, "The named buffer '\(name)' was not set: \(error)")
            }
            pending.updateValue(newValue.map(copy), forKey: name)
            store.tellDelegate { $0.storeDidChange(store) }
        }
    }

    /// The buffer under `name`, a copy of its own, ready to be read from its front; `nil` if there
    /// is none.
    /// - Throws: a ``BackendError``, or ``StoreError/closed``.
    public func buffer(for name: String) throws -> DataBuffer? {
        try store.checkOpen()
        let found = DataBuffer()
        if let changed = pending[name] {
            guard let changed else { return nil }
            changed.bytes.withUnsafeBytes { found.writeRawBytes($0) }
            if let error = changed.writeError { found.fail(error) }
        } else {
            let isThere = try key(name) { key in
                try store.backend.value(forKey: key, in: .namedBuffers, into: found)
            }
            if !isThere { return nil }
        }
        found.context = store
        return found
    }

    /// All names in ascending order, pending changes counted.
    /// - Throws: a ``BackendError``, or ``StoreError/closed``.
    public func all() throws -> [String] {
        try store.checkOpen()
        var names = Set<String>()
        let run = EntryRun()
        let cursor = try store.backend.entries(
            in: .namedBuffers, range: .everything, descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() { names.insert(String(decoding: key, as: UTF8.self)) }
        }
        for (name, buffer) in pending {
            if buffer == nil { names.remove(name) } else { names.insert(name) }
        }
        return names.sorted()
    }

    private func copy(_ buffer: DataBuffer) -> Copy {
        Copy(
            bytes: buffer.withUnsafeBytes { [UInt8]($0) }, writeError: buffer.writeError,
            isForeign: buffer.context != nil && buffer.context !== store)
    }

    private func key<Result>(
        _ name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try Array(name.utf8).withUnsafeBytes(body)
    }

    // MARK: For the save

    func write(to batch: WriteBatch) throws {
        for (name, buffer) in pending {
            guard let buffer else {
                try key(name) { key in
                    try batch.deleteKey(key, in: .namedBuffers)
                }
                continue
            }
            if let reason = buffer.writeError as? DataBufferError {
                throw StoreError.cannotWriteName(name, reason: reason)
            } else if let error = buffer.writeError {
                throw error
            }
            if buffer.isForeign { throw StoreError.wrongStore(class: "NamedBuffers") }
            try key(name) { key in
                try buffer.bytes.withUnsafeBytes { value in
                    try batch.put(value, for: key, in: .namedBuffers)
                }
            }
        }
    }

    func didSave() { pending = [:] }

    func rollback() { pending = [:] }
}
