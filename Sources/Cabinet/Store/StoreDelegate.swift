import CabinetBackend

/// Is called when a store changes, saves or fails to read an object. All calls come in the store's
/// isolation domain; each has an implementation that does nothing.
///
/// A window that shows whether its document has unsaved changes needs two of the calls:
///
/// ```swift
/// final class Document: StoreDelegate {
///     func storeDidChange(_ store: Store) { isEdited = store.hasChanges }
///     func storeDidSave(_ store: Store) { isEdited = false }
/// }
/// ```
///
/// A class of the main actor, such as a view model, conforms on that actor: `: @MainActor
/// StoreDelegate`. Without it the compiler says that the conformance "crosses into main
/// actor-isolated code". See <doc:Concurrency>.
///
/// A delegate may change objects, and is called for that too: changes from within
/// ``storeDidChange(_:)`` must come to an end by themselves. In the calls whose names have `will`,
/// ``Store/save()``, undo, redo and ``Store/close()`` throw ``StoreError/stepUnderWay``, and
/// ``Store/rollback()`` traps.
///
/// Cost: without a delegate, nothing. With one, two calls for each reported change: of a property,
/// that is its object's first change since the last save, or since an upsert has looked at it; while undo
/// records, each one.
public protocol StoreDelegate: AnyObject {
    /// Something is about to change: an object or a name, by an edit, an insert, a delete, undo,
    /// redo, ``Store/rollback(_:)`` or ``Store/rollback()``.
    ///
    /// Called once for a change and what follows from it at once (the other side of a relationship
    /// to one, delete rules), and once for a group; ``storeDidChange(_:)`` follows. While undo does
    /// not record, the other sides of an edited list follow when they are read or saved, and are
    /// announced then.
    func storeWillChange(_ store: Store)
    /// `object` is about to be inserted.
    func store(_ store: Store, willInsert object: StoredObject)
    /// `object` is about to change for the first time since the last save. If a list of it is set
    /// to what it holds already, it turns out not to have changed.
    func store(_ store: Store, willUpdate object: StoredObject)
    /// `object` is about to be deleted; `prepareForDelete()` has agreed.
    func store(_ store: Store, willDelete object: StoredObject)
    /// What ``storeWillChange(_:)`` announced has changed: the property has its new value, the
    /// group has ended. Also called if it turned out that nothing changes, or if a delete was
    /// denied or a group threw, so that all was taken back.
    ///
    /// Ask ``Store/hasChanges`` whether there is something to save. The store may be saved here; a
    /// timer that is set here and saves later costs less. `save()` throws
    /// ``StoreError/stepUnderWay`` if the change was made in the midst of another, or by an
    /// `upgrade(from:)` while a record is read.
    ///
    /// A class that writes its content itself calls ``StoredObject/willChange()`` before it sets a
    /// property, and nothing reports when that has happened: outside a group there is no call then.
    func storeDidChange(_ store: Store)
    /// All pending changes were saved.
    func storeDidSave(_ store: Store)
    /// The content of `object` could not be read. It has the content of a new object.
    func store(_ store: Store, didFailToFetch object: StoredObject, error: any Error)

    /// A property of `object` was read whose content was not in memory, and the program has waited for it: more than
    /// 50 milliseconds.
    /// - Parameters:
    ///   - store: the store.
    ///   - wait: how long.
    ///   - object: the object, which has its content now unless that could not be read.
    ///   - advice: calls that would read such objects before they are touched, many at once;
    ///     `load` does so on another thread.
    func store(
        _ store: Store, didWait wait: Duration, toRead object: StoredObject, advice: [String])
}

extension StoreDelegate {
    public func storeWillChange(_ store: Store) {}
    public func store(_ store: Store, willInsert object: StoredObject) {}
    public func store(_ store: Store, willUpdate object: StoredObject) {}
    public func store(_ store: Store, willDelete object: StoredObject) {}
    public func storeDidChange(_ store: Store) {}
    public func storeDidSave(_ store: Store) {}
    public func store(_ store: Store, didFailToFetch object: StoredObject, error: any Error) {}
    public func store(
        _ store: Store, didWait wait: Duration, toRead object: StoredObject, advice: [String]
    ) {}
}
