import CabinetBackend

/// Hears what happens in a store. All calls come in the store's isolation domain; each has an
/// implementation that does nothing.
///
/// A delegate may change objects, and is called for that too: changes from within
/// ``storeDidChange(_:)`` must come to an end by themselves. Where a call comes before a change,
/// ``Store/save()``, undo, redo and ``Store/close()`` throw ``StoreError/stepUnderWay``, and
/// ``Store/rollback()`` traps.
public protocol StoreDelegate: AnyObject {
    /// `object` is about to be inserted.
    func store(_ store: Store, willInsert object: StoredObject)
    /// `object` is about to change for the first time since the last save. If a list of it is set to
    /// what it holds already, it turns out not to have changed.
    func store(_ store: Store, willUpdate object: StoredObject)
    /// `object` is about to be deleted; `prepareForDelete()` has agreed.
    func store(_ store: Store, willDelete object: StoredObject)
    /// Something was inserted, deleted, undone, refreshed or rolled back, or a name was set; or a
    /// property is about to be set, which is a call before a change.
    func storeDidChange(_ store: Store)
    /// All pending changes were saved.
    func storeDidSave(_ store: Store)
    /// The content of `object` could not be read. It has the content of a new object.
    func store(_ store: Store, didFailToFetch object: StoredObject, error: any Error)
}

extension StoreDelegate {
    public func store(_ store: Store, willInsert object: StoredObject) {}
    public func store(_ store: Store, willUpdate object: StoredObject) {}
    public func store(_ store: Store, willDelete object: StoredObject) {}
    public func storeDidChange(_ store: Store) {}
    public func storeDidSave(_ store: Store) {}
    public func store(_ store: Store, didFailToFetch object: StoredObject, error: any Error) {}
}
