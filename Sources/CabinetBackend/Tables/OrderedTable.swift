/// Values by key in the order of the keys' bytes: a ``Delta`` over nothing.
///
/// Not `Sendable`: the engine's lock guards it.
package final class OrderedTable {
    @exclusivity(unchecked) private var entries = Delta()

    var leaves: [DeltaLeaf] { entries.leaves }

    /// How many keys there are.
    package var count: Int { entries.entryCount }

    package init() {}

    /// The bytes live until the table changes. `nil`: there is no such key.
    package func value(for key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if case .value(let value) = entries.find(key) { value } else { nil }
    }

    /// Neither `value` nor `key` may lie in this table.
    package func put(_ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer) {
        entries.put(key, value, existsBelow: false)
    }

    package func delete(_ key: UnsafeRawBufferPointer) {
        entries.delete(key, existsBelow: false)
    }

    /// The leaf that `key` is in if it is there. There must be one.
    func leafIndex(for key: UnsafeRawBufferPointer) -> Int { entries.leafIndex(for: key) }
}
