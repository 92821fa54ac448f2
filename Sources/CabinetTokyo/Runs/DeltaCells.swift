import CabinetBackend

/// The cells of one leaf of a ``Delta``, a key and its value each, in one block of memory; large
/// ones in memory of their own, which copies share.
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

    /// Gives back the block's memory.
    func deallocate() { block.deallocate() }

    /// Bytes of memory.
    var size: Int { capacity + largeSize }

    /// Whether more than half of the block is waste.
    var isWasteful: Bool { wasted > 512 && wasted > used / 2 }

    /// Where the cell at `offset`, of `size` bytes, is.
    @inline(__always)
    func address(_ offset: UInt32, _ size: Int) -> UnsafeRawPointer {
        size <= Self.largestInside ? UnsafeRawPointer(block + Int(offset)) : largeAddress(offset)
    }

    @inline(never)
    private func largeAddress(_ offset: UInt32) -> UnsafeRawPointer {
        guard let cell = large[Int(offset)] else {
            preconditionFailure("A leaf lost a large cell.")
        }
        return UnsafeRawPointer(cell.base)
    }

    /// Makes a cell of `size` bytes, which the caller fills. The offset of a large one is its
    /// number.
    @inline(__always)
    mutating func make(_ size: Int) -> (offset: UInt32, address: UnsafeMutableRawPointer) {
        if size > Self.largestInside { return makeLarge(size) }
        if capacity - used < size { grow(for: size) }
        let offset = used
        used += size
        return (UInt32(truncatingIfNeeded: offset), block + offset)
    }

    @inline(never)
    private mutating func makeLarge(
        _ size: Int
    ) -> (offset: UInt32, address: UnsafeMutableRawPointer) {
        let cell = LargeCell(size)
        return (add(cell, size), cell.base)
    }

    private mutating func add(_ cell: LargeCell?, _ size: Int) -> UInt32 {
        largeSize += size
        if let free = large.firstIndex(where: { $0 == nil }) {
            large[free] = cell
            return UInt32(truncatingIfNeeded: free)
        }
        large.append(cell)
        return UInt32(truncatingIfNeeded: large.count - 1)
    }

    /// Takes a cell of another leaf: copies it, or shares a large one.
    mutating func take(_ offset: UInt32, _ size: Int, of other: DeltaCells) -> UInt32 {
        if size > Self.largestInside { return add(other.large[Int(offset)], size) }
        let cell = make(size)
        cell.address.copyMemory(from: other.block + Int(offset), byteCount: size)
        return cell.offset
    }

    /// Where `size` bytes may replace a cell of `oldSize`; `nil`: the caller makes a new one.
    @inline(__always)
    mutating func reuse(
        _ offset: UInt32, _ oldSize: Int, for size: Int
    ) -> UnsafeMutableRawPointer? {
        guard size <= oldSize, oldSize <= Self.largestInside else { return nil }
        wasted += oldSize - size
        return block + Int(offset)
    }

    mutating func free(_ offset: UInt32, _ size: Int) {
        if size > Self.largestInside {
            large[Int(offset)] = nil
            largeSize -= size
        } else {
            wasted += size
        }
    }

    /// Rewrites the block with the cells of the slots alone, and notes where they are now.
    @inline(never)
    mutating func rewrite(_ slots: UnsafeMutablePointer<DeltaLeaf.Slot>, count: Int) {
        let old = block
        capacity = max(used - wasted + 64, 64)
        block = .allocate(byteCount: capacity, alignment: 8)
        used = 0
        wasted = 0
        for index in 0..<count where slots[index].size <= Self.largestInside {
            let size = slots[index].size
            (block + used).copyMemory(from: old + Int(slots[index].offset), byteCount: size)
            slots[index].offset = UInt32(truncatingIfNeeded: used)
            used += size
        }
        old.deallocate()
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
