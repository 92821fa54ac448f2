import CabinetBackend

/// Brings slots into the order of their entries; those about the same row or key stay in the order
/// in which they are.
///
/// Keys are sorted by eight bytes at a time behind those that all of them share, by radix; those
/// that are alike in the eight bytes are then sorted by the following ones.
struct EntrySlotSort {
    private typealias Slots = UnsafeMutablePointer<EntrySlot>

    private let slots: Slots
    private let count: Int
    private let bytes: UnsafeRawPointer
    private let radix: RadixSort

    /// Fewer keys are sorted by comparing them.
    private static let few = 24
    /// After so many times eight bytes, keys are compared, which needs no deeper calls.
    private static let greatestDepth = 32

    /// - Parameters:
    ///   - scratch: as much memory as the slots take.
    ///   - bytes: where the entries are.
    init(
        _ slots: UnsafeMutableBufferPointer<EntrySlot>,
        scratch: UnsafeMutablePointer<EntrySlot>, bytes: UnsafeRawPointer
    ) {
        self.slots = slots.baseAddress ?? scratch
        count = slots.count
        self.bytes = bytes
        radix = RadixSort(self.slots, scratch: scratch)
    }

    func sort() {
        guard count > 1 else { return }
        radix.sortGroups(count)
        var start = 0
        while start < count {
            let group = slots[start].group
            var end = start + 1
            while end < count, slots[end].group == group { end += 1 }
            if slots[start].hasKey {
                sortKeys(start..<end, sharing: 0, depth: 0)
            } else {
                radix.sort(start..<end)
            }
            start = end
        }
    }

    /// Sorts slots of one group whose keys share their first `known` bytes, and all have so many.
    private func sortKeys(_ range: Range<Int>, sharing known: Int, depth: Int) {
        if range.count <= Self.few || depth == Self.greatestDepth {
            return compare(range, sharing: known)
        }
        let shared = sharedLength(range, from: known)
        for index in range {
            slots[index].prefix = KeyOrder.start(of: slots[index].key(in: bytes), behind: shared)
        }
        radix.sort(range)
        var start = range.lowerBound
        while start < range.upperBound {
            let prefix = slots[start].prefix
            var end = start + 1
            while end < range.upperBound, slots[end].prefix == prefix { end += 1 }
            if end - start > 1 { sortAlike(start..<end, behind: shared, depth: depth) }
            start = end
        }
    }

    /// Sorts slots whose keys are alike in `shared` bytes and the eight that follow, of which those
    /// behind the end of a key count as 0.
    private func sortAlike(_ range: Range<Int>, behind shared: Int, depth: Int) {
        if range.count <= Self.few { return compare(range, sharing: shared) }
        var shortest = Int.max
        var longest = 0
        for index in range {
            let length = slots[index].key(in: bytes).count
            shortest = min(shortest, length)
            longest = max(longest, length)
        }
        if shortest >= shared + 8 {
            sortKeys(range, sharing: shared + 8, depth: depth + 1)
        } else if shortest < longest {
            compare(range, sharing: shared)
        }
    }

    private func sharedLength(_ range: Range<Int>, from known: Int) -> Int {
        let first = slots[range.lowerBound].key(in: bytes)
        var shared = first.count
        for index in range {
            if shared == known { return known }
            shared = KeyOrder.commonLength(
                first, slots[index].key(in: bytes), from: known, limit: shared)
        }
        return shared
    }

    // MARK: Comparing

    private func compare(_ range: Range<Int>, sharing known: Int) {
        if range.count <= Self.few {
            for index in range.dropFirst() {
                let slot = slots[index]
                let key = slot.key(in: bytes)
                var place = index
                while place > range.lowerBound,
                    KeyOrder.order(slots[place - 1].key(in: bytes), key, behind: known) > 0
                {
                    slots[place] = slots[place - 1]
                    place -= 1
                }
                slots[place] = slot
            }
            return
        }
        var part = UnsafeMutableBufferPointer(
            start: slots + range.lowerBound, count: range.count)
        part.sort { one, other in
            let order = KeyOrder.order(
                one.key(in: bytes), other.key(in: bytes), behind: known)
            return order == 0 ? one.offset < other.offset : order < 0
        }
    }
}
