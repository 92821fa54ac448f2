/// Objects that have one value in common.
///
/// Not `Sendable`: objects belong to their store.
public struct ObjectSection<Key, Object: StoredObject> {
    /// The value.
    public let key: Key
    /// The objects, in the order that was asked for.
    public let objects: [Object]
}
