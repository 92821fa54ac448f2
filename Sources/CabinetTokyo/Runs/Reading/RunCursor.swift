import CabinetBackend

/// A walk over the entries of a run, in both directions.
///
/// It reads the heads of a group of 16 entries at once. Its key is one buffer, in which a step
/// replaces what the next key does not share.
package final class RunCursor: LayerCursor {
    private let run: Run
    /// The current key, with 16 bytes to spare.
    private let keys: BlockMemory
    /// The entries of the current group, of which there are `count`.
    private let slots: UnsafeMutablePointer<RunSlot>

    // Unchecked, because nothing calls back into a cursor.

    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var index = 0
    @exclusivity(unchecked) private var group = 0
    @exclusivity(unchecked) private var number = 0
    @exclusivity(unchecked) private var block: RunBlock

    init(_ run: Run) throws(BackendError) {
        self.run = run
        keys = try BlockMemory(capacity: 256, path: run.path)
        slots = .allocate(capacity: RunBlock.groupSize)
        block = RunBlock(noneAt: keys.base)
    }

    deinit { slots.deallocate() }

    package override func seek(_ key: UnsafeRawBufferPointer?) throws(BackendError) {
        isAtEntry = false
        guard run.blockCount > 0 else { return }
        guard let key else {
            try open(0)
            return try enter(0) { _ in 0 }
        }
        let place = try find(key)
        try load(place.group)
        if place.index < count {
            show(at: place.index)
        } else {
            try enterNextGroup()
        }
    }

    package override func seekBack(_ key: UnsafeRawBufferPointer?) throws(BackendError) {
        isAtEntry = false
        guard run.blockCount > 0 else { return }
        guard let key else {
            try open(run.blockCount - 1)
            return try enter(block.groups - 1) { $0 - 1 }
        }
        let place = try find(key)
        group = place.group
        guard place.index > 0 else { return try enterPreviousGroup() }
        try load(place.group)
        guard place.index <= count else { throw damage }
        show(at: place.index - 1)
    }

    package override func next() throws(BackendError) {
        guard isAtEntry else { return }
        index &+= 1
        guard index < count else { return try enterNextGroup() }
        apply(index)
        show()
    }

    package override func previous() throws(BackendError) {
        guard isAtEntry else { return }
        guard index > 0 else { return try enterPreviousGroup() }
        stepBack()
        show()
    }

    package override func takeRows(
        into run: RowRun, limit: Int, before upper: UnsafeRawBufferPointer?
    ) throws(BackendError) {
        // All entries of the blocks before this one are before `upper`.
        let last = upper.map { self.run.index.block(of: $0) } ?? .max
        var left = limit
        while isAtEntry, left > 0, !run.isFull, number <= last {
            var (lastGroup, end) = (block.groups, count)
            if let upper, number == last {
                guard let place = block.find(upper) else { throw damage }
                lastGroup = place.group
                if group >= lastGroup { end = group == lastGroup ? min(place.index, count) : 0 }
            }
            guard index < end else { return }
            repeat {
                left &-= takeRow(into: run)
                index &+= 1
                guard index < count else { break }
                apply(index)
                show()
            } while index < end && left > 0 && !run.isFull
            if index == count { left &-= try takeGroups(into: run, before: lastGroup, left) }
        }
    }

    /// Adds the rows of the groups behind the current one up to `lastGroup`, as far as they are whole and
    /// tell them without keys, and goes to the entry behind. Returns how many were added.
    private func takeGroups(
        into run: RowRun, before lastGroup: Int, _ limit: Int
    ) throws(BackendError) -> Int {
        let before = run.rows.count
        while group &+ 1 < lastGroup,
            min(limit &- (run.rows.count &- before), run.room) >= RunBlock.groupSize,
            block.appendRows(of: group &+ 1, to: run)
        { group &+= 1 }
        try enterNextGroup()
        return run.rows.count &- before
    }

    /// Whether the cursor is at this entry; each counts from 0.
    func isAt(block: Int, group: Int, entry: Int) -> Bool {
        isIn(block: block) && self.group == group && index == entry
    }

    /// Whether the cursor is at an entry of this block.
    func isIn(block: Int) -> Bool { isAtEntry && number == block }

    private var damage: BackendError { run.damage(in: number) }

    private func open(_ number: Int) throws(BackendError) {
        self.number = number
        block = try run.block(number)
    }

    /// Opens the block in which `key` is or would be, and finds the position in it.
    private func find(_ key: UnsafeRawBufferPointer) throws(BackendError) -> RunBlock.Place {
        try open(run.index.block(of: key))
        guard let place = block.find(key) else { throw damage }
        return place
    }

    /// Goes to the first entry behind the current group.
    private func enterNextGroup() throws(BackendError) {
        isAtEntry = false
        if group &+ 1 < block.groups { return try enter(group &+ 1) { _ in 0 } }
        guard number &+ 1 < run.blockCount else { return }
        try open(number &+ 1)
        try enter(0) { _ in 0 }
    }

    /// Goes to the last entry before the current group.
    private func enterPreviousGroup() throws(BackendError) {
        isAtEntry = false
        if group > 0 { return try enter(group &- 1) { $0 &- 1 } }
        guard number > 0 else { return }
        try open(number &- 1)
        try enter(block.groups &- 1) { $0 &- 1 }
    }

    /// Goes to an entry of a group, chosen by how many there are.
    @inline(__always)
    private func enter(_ group: Int, at index: (Int) -> Int) throws(BackendError) {
        try load(group)
        show(at: index(count))
    }

    /// Reads the heads of a group's entries, of which there is at least one.
    private func load(_ group: Int) throws(BackendError) {
        self.group = group
        let block = block
        let end = block.end(of: group)
        var position = block.start(of: group)
        var base = group == 0 ? 0 : block.first.rest
        var longest = base
        var count = 0
        repeat {
            guard count < RunBlock.groupSize,
                let slot = RunSlot(block.base, at: position, before: end, base: base)
            else { throw damage }
            slots[count] = slot
            count &+= 1
            base = slot.keyCount
            longest = max(longest, base)
            position = slot.end
        } while position < end
        self.count = count
        try keys.reserve(longest &+ 16, path: run.path)
        // A group's first key is relative to the block's first.
        let shared = slots[0].shared
        if shared > 0 {
            keys.base.copyMemory(from: block.base + block.first.restAt, byteCount: shared)
        }
    }

    /// Makes the key of an entry of the group that was just read, and shows it.
    @inline(__always)
    private func show(at index: Int) {
        for earlier in 0...index { apply(earlier) }
        self.index = index
        show()
    }

    /// Makes the key of entry `index` out of the key of the entry before it.
    @inline(__always)
    private func apply(_ index: Int) {
        let slot = slots + index
        let source = block.base + slot.pointee.restAt
        let target = keys.base + slot.pointee.shared
        let count = slot.pointee.rest
        if count <= 16 {
            // Index and footer follow the last block, and the buffer has 16 bytes to spare.
            target.storeBytes(
                of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
        } else {
            target.copyMemory(from: source, byteCount: count)
        }
    }

    /// Goes to the entry before, making its key out of the current one. Each byte that differs is
    /// in the nearest entry that does not share it.
    @inline(__always)
    private func stepBack() {
        let kept = slots[index].shared
        index &-= 1
        var upper = slots[index].keyCount
        var at = index
        while upper > kept {
            guard at >= 0 else {
                copy(block.first, from: kept, to: upper)
                return
            }
            let slot = slots[at]
            let lower = max(slot.shared, kept)
            if lower < upper { copy(slot, from: lower, to: upper) }
            upper = min(upper, slot.shared)
            at &-= 1
        }
    }

    /// Copies bytes of the rest of an entry's key to where they are in the key.
    @inline(__always)
    private func copy(_ slot: RunSlot, from lower: Int, to upper: Int) {
        (keys.base + lower).copyMemory(
            from: block.base + (slot.restAt &+ lower &- slot.shared), byteCount: upper &- lower)
    }

    @inline(__always)
    private func show() {
        let slot = slots + index
        key = UnsafeRawBufferPointer(start: keys.base, count: slot.pointee.keyCount)
        value = UnsafeRawBufferPointer(
            start: block.base + slot.pointee.valueAt, count: slot.pointee.valueCount)
        isDelete = slot.pointee.isDelete
        weight = Int8(truncatingIfNeeded: slot.pointee.weight)
        isAtEntry = true
    }
}
