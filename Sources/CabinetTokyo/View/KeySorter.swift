import CLibrary
import CabinetBackend

/// The changes of ordered tables in one chunk, brought into the order of their keys: a B+ tree
/// takes sorted keys ten times as fast.
struct KeySorter {
    private struct Entry {
        /// Table and the key's first bytes, so that most comparisons need no memory but this.
        var prefix: UInt64
        var key: UnsafeRawBufferPointer
        /// `nil` for a deletion.
        var stored: UnsafeRawBufferPointer?
        var table: TableNumber
        var order: UInt32
    }

    private var entries: [Entry] = []

    mutating func add(
        _ table: TableNumber, _ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer?
    ) {
        var prefix: UInt64 = 0
        for index in 0..<8 {
            prefix = prefix << 8 | (index < key.count ? UInt64(key[index]) : 0)
        }
        entries.append(
            Entry(
                prefix: prefix, key: key, stored: stored, table: table,
                order: UInt32(truncatingIfNeeded: entries.count)))
    }

    /// Calls `body` with the last change of every key, and forgets all.
    mutating func drain(
        _ body: (TableNumber, UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Void
    ) {
        guard !entries.isEmpty else { return }
        entries.sort { one, other in
            if one.table != other.table { return one.table < other.table }
            if one.prefix != other.prefix { return one.prefix < other.prefix }
            let order = Self.order(one.key, other.key)
            return order == 0 ? one.order < other.order : order < 0
        }
        for index in entries.indices {
            let entry = entries[index]
            if index + 1 < entries.count {
                let next = entries[index + 1]
                if next.table == entry.table, next.prefix == entry.prefix,
                    Self.order(entry.key, next.key) == 0
                {
                    continue
                }
            }
            body(entry.table, entry.key, entry.stored)
        }
        entries.removeAll(keepingCapacity: entries.count < 1 << 16)
    }

    private static func order(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Int {
        let length = min(one.count, other.count)
        if length > 0, let first = one.baseAddress, let second = other.baseAddress {
            let order = memcmp(first, second, length)
            if order != 0 { return Int(order) }
        }
        return one.count - other.count
    }
}
