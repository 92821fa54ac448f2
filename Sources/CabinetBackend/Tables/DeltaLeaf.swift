/// Up to 128 entries of a ``Delta`` in the order of their keys.
///
/// It may be sent although it has variables: they are written only while the ``Delta`` that writes
/// holds the one reference to the leaf (`isKnownUniquelyReferenced`), so that no other thread can
/// be reading it. One that is referred to twice is copied first, and is never written again while
/// it is.
package final class DeltaLeaf: @unchecked Sendable {
    static let capacity = 128

    struct Slot {
        /// The key's bytes behind those that all keys of the leaf share, so that most comparisons
        /// need not look the key up.
        var start: UInt64
        /// Which cell has the key and the value.
        var offset: UInt32 = 0
        var weight: Int8
        var isDelete: Bool
        /// Whether the cell lies in memory of its own.
        var isLarge = false

        /// Whether the layers below have the key; `nil`: unknown.
        var existsBelow: Bool? {
            weight == Delta.unknownWeight ? nil : isDelete || weight == 0
        }
    }

    // Unchecked, because nothing calls back into a leaf.
    @exclusivity(unchecked) package private(set) var count = 0
    /// How many bytes at the front of the keys are alike: so many at least.
    @exclusivity(unchecked) private var shared = 0
    @exclusivity(unchecked) private(set) var slots: UnsafeMutablePointer<Slot>
    @exclusivity(unchecked) private var slotCapacity: Int
    @exclusivity(unchecked) private var cells: DeltaCells

    init(slots: Int = 16, bytes: Int = 256) {
        slotCapacity = min(slots, Self.capacity)
        self.slots = .allocate(capacity: slotCapacity)
        cells = DeltaCells(capacity: bytes)
    }

    /// A copy, with memory of its own, that has space for one more entry unless it is full.
    init(copying other: DeltaLeaf) {
        slotCapacity = min(other.count + 8, Self.capacity)
        slots = .allocate(capacity: slotCapacity)
        cells = DeltaCells(copying: other.cells)
        count = other.count
        shared = other.shared
        slots.initialize(from: other.slots, count: count)
    }

    /// The entries of `range` of another leaf.
    convenience init(_ range: Range<Int>, of other: DeltaLeaf) {
        self.init(slots: range.count + 8, bytes: other.cells.used * 3 / 4)
        append(range, of: other)
    }

    /// A copy of the last entries of another leaf, from `index` on.
    private init(from index: Int, of other: DeltaLeaf) {
        count = other.count - index
        slotCapacity = min(count + 8, Self.capacity)
        slots = .allocate(capacity: slotCapacity)
        slots.initialize(from: other.slots + index, count: count)
        cells = DeltaCells(of: slots, count: count, in: other.cells)
        shared = other.shared
        shareMore()
    }

    deinit {
        slots.deallocate()
        cells.deallocate()
    }

    /// Bytes of memory.
    @inline(__always)
    var size: Int {
        128 &+ slotCapacity &* MemoryLayout<Slot>.stride &+ cells.size
    }

    // MARK: Reading

    @inline(__always)
    func key(at index: Int) -> UnsafeRawBufferPointer { cells.key(slots[index]) }

    @inline(__always)
    func value(at index: Int) -> UnsafeRawBufferPointer { cells.value(slots[index]) }

    /// What a walk asks of an entry: its key, its value, empty for a delete, and its weight.
    package func entry(at index: Int) -> (
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, isDelete: Bool, weight: Int8
    ) {
        let slot = slots[index]
        return (cells.key(slot), cells.value(slot), slot.isDelete, slot.weight)
    }

    /// As ``find(_:sharing:)``, the index alone.
    package func index(of key: UnsafeRawBufferPointer) -> Int { find(key).index }

    /// The first index whose key is not before `key`, and whether it is `key` itself.
    ///
    /// - Parameter known: how many bytes at the front the leaf's first key is known to share.
    @inline(__always)
    func find(
        _ key: UnsafeRawBufferPointer, sharing known: Int = 0
    ) -> (index: Int, isThere: Bool) {
        guard count > 0 else { return (0, false) }
        if shared > known {
            let side = KeyOrder.side(
                of: key, sharing: shared, of: self.key(at: 0), known: known)
            if side != 0 { return (side < 0 ? 0 : count, false) }
        }
        let start = KeyOrder.start(of: key, behind: shared)
        let slots = slots
        // Keys often come in order.
        if slots[count - 1].start < start { return (count, false) }
        var place = slots
        var rest = count
        while rest > 1 {
            let half = rest &>> 1
            if place[half &- 1].start < start { place += half }
            rest &-= half
        }
        let index = place - slots
        if place.pointee.start != start { return (index, false) }
        if index + 1 < count, slots[index + 1].start == start {
            return findAmongAlike(key, start, from: index)
        }
        let order = KeyOrder.order(self.key(at: index), key, behind: shared)
        return (order < 0 ? index + 1 : index, order == 0)
    }

    /// The same where several slots, from `index` on, have the start of `key`.
    @inline(never)
    private func findAmongAlike(
        _ key: UnsafeRawBufferPointer, _ start: UInt64, from index: Int
    ) -> (index: Int, isThere: Bool) {
        var low = index
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let order =
                slots[middle].start == start
                ? KeyOrder.order(self.key(at: middle), key, behind: shared) : 1
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    // MARK: Writing

    /// Adds a key that is not there at its index. The leaf must not be full.
    @inline(__always)
    func insert(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isDelete: Bool,
        weight: Int8, at index: Int
    ) {
        if index == 0 || index == count { shareNoMore(than: key) }
        if count == slotCapacity { growSlots() }
        var slot = Slot(
            start: KeyOrder.start(of: key, behind: shared), weight: weight, isDelete: isDelete)
        cells.make(key, value, for: &slot)
        (slots + index + 1).update(from: slots + index, count: count &- index)
        slots[index] = slot
        count &+= 1
    }

    /// Puts another value, or a delete, in place of what `key` has at its index.
    func replace(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isDelete: Bool,
        weight: Int8, at index: Int
    ) {
        cells.replace(key, value, for: &slots[index])
        slots[index].weight = weight
        slots[index].isDelete = isDelete
        if cells.isWasteful { cells.rewrite(slots, count: count) }
    }

    func setWeight(_ weight: Int8, at index: Int) { slots[index].weight = weight }

    func remove(at index: Int) {
        cells.free(slots[index])
        count -= 1
        (slots + index).update(from: slots + index + 1, count: count - index)
        if cells.isWasteful { cells.rewrite(slots, count: count) }
    }

    /// Adds entries of another leaf, which all come behind those of this one, at most
    /// ``capacity`` in all.
    func append(_ range: Range<Int>, of other: DeltaLeaf) {
        guard let last = range.last else { return }
        while slotCapacity < count + range.count { growSlots() }
        for index in range {
            var slot = other.slots[index]
            cells.take(&slot, of: other.cells)
            slots[count] = slot
            count += 1
        }
        // What the first key and the last one share, all between them share.
        shared = KeyOrder.commonLength(key(at: 0), other.key(at: last))
        noteStarts()
    }

    /// Moves the entries from `index` on, neither none nor all, to a new leaf.
    func split(at index: Int) -> DeltaLeaf {
        let upper = DeltaLeaf(from: index, of: self)
        cells.removeLarge(slots + index, count: count - index)
        count = index
        cells.rewrite(slots, count: count)
        shareMore()
        return upper
    }

    /// Sees that the bytes that all keys share are shared by `key` too, a new first or last one.
    @inline(__always)
    private func shareNoMore(than key: UnsafeRawBufferPointer) {
        if count > 0, key.count >= shared, KeyOrder.areAlike(key, self.key(at: 0), shared) {
            return
        }
        shareLess(than: key)
    }

    @inline(never)
    private func shareLess(than key: UnsafeRawBufferPointer) {
        guard count > 0 else {
            shared = key.count
            return
        }
        shared = KeyOrder.commonLength(key, self.key(at: 0), limit: shared)
        noteStarts()
    }

    /// Finds out how many bytes the keys share that remain when others have gone.
    private func shareMore() {
        // What the first key and the last one share, all between them share.
        let common = KeyOrder.commonLength(key(at: 0), key(at: count - 1), from: shared)
        guard common > shared else { return }
        shared = common
        noteStarts()
    }

    private func noteStarts() {
        for index in 0..<count {
            slots[index].start = KeyOrder.start(of: key(at: index), behind: shared)
        }
    }

    @inline(never)
    private func growSlots() {
        slotCapacity = min(slotCapacity * 2, Self.capacity)
        let larger = UnsafeMutablePointer<Slot>.allocate(capacity: slotCapacity)
        larger.initialize(from: slots, count: count)
        slots.deallocate()
        slots = larger
    }
}
