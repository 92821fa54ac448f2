import CabinetBackend

/// Sorts as many entries as fit into a given amount of memory.
///
/// Entries lie at the front of the memory, behind one another; one slot for each grows from its
/// end. Sorting moves the slots only. Not `Sendable`: it belongs to one compaction.
final class EntrySorter {
    private struct Slot {
        var prefix: UInt64
        /// The group, and in the lowest 47 bits where the entry is: later entries lie farther on.
        var position: UInt64

        var group: UInt32 { UInt32(truncatingIfNeeded: position >> 47) }
        var offset: Int { Int(position & (1 << 47 - 1)) }
    }

    private let limit: Int
    private let path: String
    // Unchecked, because nothing calls back into a sorter: checks took a tenth of a compaction.
    @exclusivity(unchecked) private var memory: BlockMemory
    @exclusivity(unchecked) private var used = 0
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var position = 0

    /// - Parameters:
    ///   - limit: bytes for entries and slots; a single entry may be larger.
    ///   - path: whose memory it is, for errors.
    init(limit: Int, path: String) throws(BackendError) {
        self.limit = max(limit, 256) & ~15
        self.path = path
        memory = try BlockMemory(capacity: self.limit, path: path)
    }

    /// Takes a copy of `entry`. `false` if there is no room: then it is time to sort, take
    /// everything out and ``removeAll()``.
    @inline(__always)
    func add(_ entry: TableEntry) throws(BackendError) -> Bool {
        let size = EntryCoder.size(of: entry)
        let slotSize = MemoryLayout<Slot>.size
        if used + size + (count + 1) * slotSize > memory.capacity & ~15 {
            guard count == 0 else { return false }
            memory = try BlockMemory(capacity: size + 2 * slotSize, path: path)
        }
        EntryCoder.encode(entry, to: memory.base + used)
        count += 1
        slots[0] = Slot(
            prefix: entry.prefix, position: UInt64(entry.group) << 47 | UInt64(used))
        used += size
        return true
    }

    func removeAll() throws(BackendError) {
        used = 0
        count = 0
        position = 0
        if memory.capacity > limit { memory = try BlockMemory(capacity: limit, path: path) }
    }

    private var slots: UnsafeMutableBufferPointer<Slot> {
        let end = memory.base + memory.capacity & ~15
        let start = end - count * MemoryLayout<Slot>.size
        return UnsafeMutableBufferPointer(
            start: start.assumingMemoryBound(to: Slot.self), count: count)
    }

    /// Puts everything in order; then ``next()`` begins with the first entry.
    func sort() {
        position = 0
        let bytes = UnsafeRawBufferPointer(memory.bytes(0..<used))
        var slots = slots
        slots.sort { one, other in
            let (group, otherGroup) = (one.group, other.group)
            if group != otherGroup { return group < otherGroup }
            if one.prefix != other.prefix { return one.prefix < other.prefix }
            if group & 1 == 1 {
                let order = Self.order(one, other, in: bytes)
                if order != 0 { return order < 0 }
            }
            return one.position < other.position
        }
    }

    private static func order(
        _ one: Slot, _ other: Slot, in bytes: UnsafeRawBufferPointer
    ) -> Int {
        guard let first = entry(one, in: bytes), let second = entry(other, in: bytes) else {
            return 0
        }
        return TableEntry.order(first.key, second.key)
    }

    private static func entry(_ slot: Slot, in bytes: UnsafeRawBufferPointer) -> TableEntry? {
        var offset = slot.offset
        return EntryCoder.decode(bytes, at: &offset, group: slot.group)
    }
}

extension EntrySorter: EntrySource {
    /// The next entry in order; of those about the same row or key only the one added last.
    func next() -> TableEntry? {
        let bytes = UnsafeRawBufferPointer(memory.bytes(0..<used))
        let slots = slots
        while position < slots.count {
            let slot = slots[position]
            position += 1
            if position < slots.count {
                let follower = slots[position]
                if follower.prefix == slot.prefix, follower.group == slot.group,
                    slot.group & 1 == 0 || Self.order(slot, follower, in: bytes) == 0
                {
                    continue
                }
            }
            return Self.entry(slot, in: bytes)
        }
        return nil
    }
}
