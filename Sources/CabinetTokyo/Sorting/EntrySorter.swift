import CSystem
import CabinetBackend

/// Sorts as many entries as fit into a given amount of memory.
///
/// Entries lie at the front of the memory, behind one another; one slot for each grows from its
/// end, and in between there is memory for as many slots, which the sort needs. Sorting moves the
/// slots only. Not `Sendable`: it belongs to one thread at a time.
final class EntrySorter {
    private static let slotSize = MemoryLayout<EntrySlot>.stride

    /// So many entries are on their way from memory while one is given: they lie anywhere.
    private static let fetchedAhead = 16

    private let limit: Int
    private let path: String
    // Unchecked, because nothing calls back into a sorter: checks took a tenth of a compaction.
    @exclusivity(unchecked) private var memory: BlockMemory
    @exclusivity(unchecked) private var base: UnsafeMutableRawPointer
    /// Where the slots end.
    @exclusivity(unchecked) private var end: Int
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
        base = memory.base
        end = memory.capacity & ~15
    }

    /// Takes a copy of `entry`. `false` if there is not enough memory: then it is time to sort,
    /// take everything out and ``removeAll()``.
    @inline(__always)
    func add(_ entry: TableEntry) throws(BackendError) -> Bool {
        let size = EntryCoder.size(of: entry)
        if used + size + (count + 1) * 2 * Self.slotSize > end {
            guard count == 0 else { return false }
            try replaceMemory(size + 3 * Self.slotSize)
        }
        EntryCoder.encode(entry, to: base + used)
        count += 1
        (base + (end - count * Self.slotSize)).storeBytes(
            of: EntrySlot(entry, at: used), as: EntrySlot.self)
        used += size
        return true
    }

    func removeAll() throws(BackendError) {
        used = 0
        count = 0
        position = 0
        if memory.capacity > limit { try replaceMemory(limit) }
    }

    private func replaceMemory(_ capacity: Int) throws(BackendError) {
        memory = try BlockMemory(capacity: capacity, path: path)
        base = memory.base
        end = memory.capacity & ~15
    }

    private var slots: UnsafeMutableBufferPointer<EntrySlot> {
        let start = base + (end - count * Self.slotSize)
        return UnsafeMutableBufferPointer(
            start: start.assumingMemoryBound(to: EntrySlot.self), count: count)
    }

    /// Puts everything in order; then ``next()`` begins with the first entry, and nothing more may
    /// be added before ``removeAll()``.
    func sort() {
        position = 0
        var slots = slots
        // They lie the other way round, the latest one first.
        slots.reverse()
        let scratch = base + (end - 2 * count * Self.slotSize)
        EntrySlotSort(
            slots, scratch: scratch.assumingMemoryBound(to: EntrySlot.self), bytes: base
        ).sort()
    }
}

extension EntrySorter: EntrySource {
    /// The next entry in order; of those about the same row or key only the one added last.
    func next() -> TableEntry? {
        let slots = slots
        while position < slots.count {
            let slot = slots[position]
            if position &+ Self.fetchedAhead < slots.count {
                let next = base + slots[position &+ Self.fetchedAhead].offset
                cabinet_prefetch_to_read(next)
                cabinet_prefetch_to_read(next + 40)
            }
            position += 1
            if position < slots.count, isSame(slot, slots[position]) { continue }
            var offset = slot.offset
            let bytes = UnsafeRawBufferPointer(start: base, count: used)
            return EntryCoder.decode(bytes, at: &offset, group: slot.group)
        }
        return nil
    }

    @inline(__always)
    private func isSame(_ one: EntrySlot, _ other: EntrySlot) -> Bool {
        guard one.prefix == other.prefix, one.group == other.group else { return false }
        return !one.hasKey || KeyOrder.order(one.key(in: base), other.key(in: base)) == 0
    }
}
