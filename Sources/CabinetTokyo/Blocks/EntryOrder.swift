/// Watches that entries come sorted, no two about the same row or key.
struct EntryOrder {
    private var group: UInt32 = 0
    private var prefix: UInt64 = 0
    private var key: [UInt8] = []
    private var isEmpty = true

    /// Whether `entry` comes behind every one before it.
    @inline(__always)
    mutating func accept(_ entry: TableEntry) -> Bool {
        let isSorted =
            isEmpty || group < entry.group
            || (group == entry.group
                && (prefix < entry.prefix || (prefix == entry.prefix && isLonger(entry))))
        isEmpty = false
        group = entry.group
        prefix = entry.prefix
        if entry.hasKey { keep(entry.key) }
        return isSorted
    }

    /// Whether the key of `entry`, alike in its first bytes, still comes behind the last one.
    private func isLonger(_ entry: TableEntry) -> Bool {
        entry.hasKey && key.withUnsafeBytes { TableEntry.order($0, entry.key) < 0 }
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        key.removeAll(keepingCapacity: true)
        key.append(contentsOf: bytes)
    }
}
