import Cabinet

/// Notes the calls of a store, and runs the closures that a test has set for them.
final class Listener: StoreDelegate {
    var calls: [String] = []
    var onUpdate: ((StoredObject) -> Void)?
    var onInsert: ((StoredObject) -> Void)?
    var onAnnouncement: ((Store) -> Void)?
    var onChange: ((Store) -> Void)?

    private func note(_ what: String, _ object: StoredObject) {
        calls.append("\(what) \(type(of: object)) \(object.rowID)")
    }

    func store(_ store: Store, willInsert object: StoredObject) {
        note("insert", object)
        onInsert?(object)
    }
    func store(_ store: Store, willUpdate object: StoredObject) {
        note("update", object)
        onUpdate?(object)
    }
    func store(_ store: Store, willDelete object: StoredObject) { note("delete", object) }
    func storeWillChange(_ store: Store) {
        calls.append("changing")
        onAnnouncement?(store)
    }
    func storeDidChange(_ store: Store) {
        calls.append("changed")
        onChange?(store)
    }
    func storeDidSave(_ store: Store) { calls.append("saved") }
    func store(_ store: Store, didFailToFetch object: StoredObject, error: any Error) {
        note("failed", object)
    }
}
