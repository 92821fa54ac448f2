/// The cells of one leaf of a ``Delta`` in one block of memory; large ones in memory of their own,
/// which copies share. A cell is the length of a key and of its value, 4 bytes each, then both.
///
/// The bytes that are no longer used are counted, so that the owner knows when to rewrite the
/// block. As the leaf, it is written only while one thread can see it.
struct DeltaCells {
    /// Memory of one cell that is too large for a block.
    ///
    /// It may be sent, as its memory is filled by the call that makes the cell, before a second
    /// reference to its leaf can exist, and never written again.
    private final class LargeCell: @unchecked Sendable {
        let base: UnsafeMutableRawPointer

        init(_ size: Int) { base = .allocate(byteCount: size, alignment: 8) }

        deinit { base.deallocate() }
    }

    /// The largest cell that lies in the block, in bytes.
    private static let largestInside = 2048
    /// The bytes of a cell before the key.
    private static let header = 8

    private var block: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var used = 0
    private var wasted = 0
    /// `nil` where one was freed.
    private var large: [LargeCell?] = []
    private var largeSize = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        block = .allocate(byteCount: self.capacity, alignment: 8)
    }

    /// A copy with a block of its own and space in it for small cells.
    init(copying other: DeltaCells) {
        self.init(capacity: other.used + 256)
        used = other.used
        wasted = other.wasted
        large = other.large
        largeSize = other.largeSize
        block.copyMemory(from: other.block, byteCount: used)
    }

    /// The cells of `slots`, which are those of `other`, and space for half as many again; notes
    /// where they are now.
    init(of slots: UnsafeMutablePointer<DeltaLeaf.Slot>, count: Int, in other: DeltaCells) {
        self.init(capacity: other.size(of: slots, count: count) * 3 / 2)
        gather(slots, count: count, from: other.block)
        guard !other.large.isEmpty else { return }
        for index in 0..<count where slots[index].isLarge {
            slots[index].offset = share(slots[index], of: other)
        }
    }

    /// Gives back the block's memory.
    func deallocate() { block.deallocate() }

    /// Bytes of memory.
    var size: Int { capacity &+ largeSize }

    /// Whether more than half of the block is waste.
    var isWasteful: Bool { wasted > 512 && wasted > used / 2 }

    // MARK: Reading

    /// The key of a slot.
    @inline(__always)
    func key(_ slot: DeltaLeaf.Slot) -> UnsafeRawBufferPointer {
        let cell = address(slot)
        return UnsafeRawBufferPointer(
            start: cell + Self.header,
            count: Int(cell.loadUnaligned(fromByteOffset: 0, as: UInt32.self)))
    }

    /// The value of a slot.
    @inline(__always)
    func value(_ slot: DeltaLeaf.Slot) -> UnsafeRawBufferPointer {
        let cell = address(slot)
        return UnsafeRawBufferPointer(
            start: cell
                + (Self.header &+ Int(cell.loadUnaligned(fromByteOffset: 0, as: UInt32.self))),
            count: Int(cell.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    }

    @inline(__always)
    private func address(_ slot: DeltaLeaf.Slot) -> UnsafeRawPointer {
        slot.isLarge
            ? Self.address(slot.offset, in: large) : UnsafeRawPointer(block + Int(slot.offset))
    }

    // Static, as otherwise callers copy all of the cells for it.
    @inline(never)
    private static func address(_ offset: UInt32, in large: [LargeCell?]) -> UnsafeRawPointer {
        guard let cell = large[Int(offset)] else {
            preconditionFailure("A leaf lost a large cell.")
        }
        return UnsafeRawPointer(cell.base)
    }

    @inline(__always)
    private static func size(at cell: UnsafeRawPointer) -> Int {
        header &+ Int(cell.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
            &+ Int(cell.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }

    // MARK: Writing

    /// Makes a cell; `slot` gets to know where it is.
    @inline(__always)
    mutating func make(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        for slot: inout DeltaLeaf.Slot
    ) {
        let size = Self.header &+ key.count &+ value.count
        if size > Self.largestInside { return makeLarge(key, value, for: &slot) }
        if capacity &- used < size { grow(for: size) }
        slot.offset = UInt32(truncatingIfNeeded: used)
        slot.isLarge = false
        Self.fill(block + used, key, value)
        used &+= size
    }

    @inline(never)
    private mutating func makeLarge(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        for slot: inout DeltaLeaf.Slot
    ) {
        let cell = LargeCell(Self.header + key.count + value.count)
        Self.fill(cell.base, key, value)
        slot.offset = add(cell)
        slot.isLarge = true
    }

    @inline(__always)
    private static func fill(
        _ cell: UnsafeMutableRawPointer, _ key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) {
        cell.storeBytes(
            of: UInt32(truncatingIfNeeded: key.count), toByteOffset: 0, as: UInt32.self)
        cell.storeBytes(
            of: UInt32(truncatingIfNeeded: value.count), toByteOffset: 4, as: UInt32.self)
        if let source = key.baseAddress, key.count > 0 {
            (cell + header).copyCell(from: source, key.count)
        }
        if let source = value.baseAddress, value.count > 0 {
            (cell + header + key.count).copyCell(from: source, value.count)
        }
    }

    /// The number of a large cell in this leaf.
    private mutating func add(_ cell: LargeCell) -> UInt32 {
        largeSize += Self.size(at: cell.base)
        if let free = large.firstIndex(where: { $0 == nil }) {
            large[free] = cell
            return UInt32(truncatingIfNeeded: free)
        }
        large.append(cell)
        return UInt32(truncatingIfNeeded: large.count - 1)
    }

    private mutating func share(_ slot: DeltaLeaf.Slot, of other: DeltaCells) -> UInt32 {
        guard let cell = other.large[Int(slot.offset)] else {
            preconditionFailure("A leaf lost a large cell.")
        }
        return add(cell)
    }

    /// Takes the cell of a slot of another leaf: copies it, or shares a large one.
    mutating func take(_ slot: inout DeltaLeaf.Slot, of other: DeltaCells) {
        if slot.isLarge {
            slot.offset = share(slot, of: other)
        } else {
            make(other.key(slot), other.value(slot), for: &slot)
        }
    }

    /// Puts another value into the cell of a slot, or into a new one.
    mutating func replace(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        for slot: inout DeltaLeaf.Slot
    ) {
        let size = Self.header + key.count + value.count
        let old = Self.size(at: address(slot))
        guard !slot.isLarge, size <= old else {
            free(slot)
            return make(key, value, for: &slot)
        }
        wasted += old - size
        Self.fill(block + Int(slot.offset), key, value)
    }

    mutating func free(_ slot: DeltaLeaf.Slot) {
        let size = Self.size(at: address(slot))
        if slot.isLarge {
            large[Int(slot.offset)] = nil
            largeSize -= size
        } else {
            wasted += size
        }
    }

    @inline(never)
    private mutating func grow(for size: Int) {
        capacity = max(used + size, capacity + capacity / 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: block, byteCount: used)
        block.deallocate()
        block = larger
    }
}

// Cells of many slots at once.
extension DeltaCells {
    /// Rewrites the block with the cells of the slots alone, and notes where they are now.
    @inline(never)
    mutating func rewrite(_ slots: UnsafeMutablePointer<DeltaLeaf.Slot>, count: Int) {
        let old = block
        capacity = size(of: slots, count: count) + 64
        block = .allocate(byteCount: capacity, alignment: 8)
        used = 0
        wasted = 0
        gather(slots, count: count, from: old)
        old.deallocate()
    }

    /// Forgets the large cells of slots that another leaf has taken over.
    mutating func removeLarge(_ slots: UnsafeMutablePointer<DeltaLeaf.Slot>, count: Int) {
        guard !large.isEmpty else { return }
        for index in 0..<count where slots[index].isLarge { free(slots[index]) }
    }

    /// How many bytes of the block the slots' cells take.
    private func size(of slots: UnsafeMutablePointer<DeltaLeaf.Slot>, count: Int) -> Int {
        var size = 0
        for index in 0..<count where !slots[index].isLarge {
            size &+= Self.size(at: block + Int(slots[index].offset))
        }
        return size
    }

    /// Copies the slots' cells from another block, in their order, into this one, which has space.
    private mutating func gather(
        _ slots: UnsafeMutablePointer<DeltaLeaf.Slot>, count: Int,
        from other: UnsafeMutableRawPointer
    ) {
        for index in 0..<count where !slots[index].isLarge {
            let cell = other + Int(slots[index].offset)
            let size = Self.size(at: cell)
            (block + used).copyCell(from: cell, size)
            slots[index].offset = UInt32(truncatingIfNeeded: used)
            used &+= size
        }
    }
}

extension UnsafeMutableRawPointer {
    /// Copies bytes. Those of most keys without a call, which would take longer than the copy.
    @inline(__always)
    fileprivate func copyCell(from source: UnsafeRawPointer, _ count: Int) {
        guard count >= 16, count <= 32 else { return copyMemory(from: source, byteCount: count) }
        let last = count &- 16
        let start = source.loadUnaligned(as: SIMD2<UInt64>.self)
        let end = source.loadUnaligned(fromByteOffset: last, as: SIMD2<UInt64>.self)
        storeBytes(of: start, as: SIMD2<UInt64>.self)
        storeBytes(of: end, toByteOffset: last, as: SIMD2<UInt64>.self)
    }
}
