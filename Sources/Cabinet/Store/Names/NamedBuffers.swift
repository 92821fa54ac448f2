import CabinetBackend

/// Buffers under names, saved together with the objects: settings, favourites, anything that a
/// ``DataBuffer`` holds, references included.
///
/// ```swift
/// let buffer = DataBuffer()
/// buffer.writeReference(song)
/// store.namedBuffers["Favorite"] = buffer
/// ```
///
/// A handle that keeps its store alive. Not `Sendable`, as the store is not.
public struct NamedBuffers {
    private let store: Store
    private var pending: PendingNames { store.pendingNames }

    init(_ store: Store) { self.store = store }

    /// The buffer under `name`, a copy of its own, ready to be read from its front; `nil` if there
    /// is none. Setting one copies all its bytes; setting `nil` removes the name.
    ///
    /// A buffer that the backend cannot read is `nil` here, and the reason goes to the log sink;
    /// ``buffer(for:)`` throws it. Setting one in a closed store does nothing but tell the log
    /// sink.
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
        nonmutating set {
            do { try store.checkOpen() } catch {
                return store.log(.error, "The named buffer '\(name)' was not set: \(error)")
            }
            store.beginChange()
            defer { store.endChange() }
            store.announceChange()
            pending.set(newValue, for: name, in: store)
        }
    }

    /// The buffer under `name`, a copy of its own, ready to be read from its front; `nil` if there
    /// is none.
    /// - Throws: a ``BackendError``, or ``StoreError/closed``.
    public func buffer(for name: String) throws -> DataBuffer? {
        try store.checkOpen()
        let found = DataBuffer()
        if let isSet = pending.find(name, into: found) {
            if !isSet { return nil }
        } else {
            let key = Array(name.utf8)
            let isThere = try store.reading { reader throws(BackendError) in
                try reader.value(forKey: key, in: .namedBuffers, into: found)
            }
            if !isThere { return nil }
        }
        found.context = store
        return found
    }

    /// All names in the order of their UTF-8, pending changes counted. Names are the same if their UTF-8 is.
    /// - Throws: a ``BackendError``, or ``StoreError/closed``.
    public func all() throws -> [String] {
        try store.checkOpen()
        var names = Set<[UInt8]>()
        let run = EntryRun()
        let cursor = try store.readerForWalk().entries(
            in: .namedBuffers, range: .everything, descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() { names.insert([UInt8](key)) }
        }
        pending.apply(to: &names)
        return names.inOrder { $0.lexicographicallyPrecedes($1) }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
