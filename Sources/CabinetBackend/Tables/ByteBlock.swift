/// Bytes in one piece of memory, appended at its end, for the cells of one page or leaf.
///
/// A cell is a value, or a key and its value. A small one lies in the block itself; a large one
/// in memory of its own, whose address lies in the block. The block counts the bytes that are
/// no longer used, so that its owner knows when to rewrite it.
struct ByteBlock {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var used = 0
    private(set) var wasted = 0
    private var capacity: Int

    /// The largest cell that lies in the block, in bytes.
    static let largestInside = 2048

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        base = .allocate(byteCount: self.capacity, alignment: 8)
    }

    /// Gives back the block's memory; large cells are freed one by one before.
    func deallocate() { base.deallocate() }

    var isWasteful: Bool { wasted > 512 && wasted > used / 2 }

    @inline(__always)
    static func footprint(_ size: Int) -> Int {
        size <= largestInside ? size : MemoryLayout<UnsafeMutableRawPointer>.size
    }

    @inline(__always)
    func address(_ offset: UInt32, _ size: Int) -> UnsafeMutableRawPointer {
        let address = base + Int(offset)
        return size <= Self.largestInside
            ? address : address.load(as: UnsafeMutableRawPointer.self)
    }

    /// Makes a cell of `size` bytes, which the caller fills.
    @inline(__always)
    mutating func makeCell(_ size: Int) -> (offset: UInt32, address: UnsafeMutableRawPointer) {
        let address = takeBytes(for: size)
        let offset = UInt32(truncatingIfNeeded: address - base)
        guard size > Self.largestInside else { return (offset, address) }
        let own = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        address.storeBytes(of: own, as: UnsafeMutableRawPointer.self)
        return (offset, own)
    }

    @inline(__always)
    mutating func freeCell(_ offset: UInt32, _ size: Int) {
        if size > Self.largestInside { address(offset, size).deallocate() }
        wasted += Self.footprint(size)
    }

    /// Puts `size` bytes over a cell that is large enough. `nil`: the caller makes a new one.
    @inline(__always)
    mutating func reuseCell(
        _ offset: UInt32, _ oldSize: Int, for size: Int
    ) -> UnsafeMutableRawPointer? {
        guard size <= oldSize, oldSize <= Self.largestInside else { return nil }
        wasted += oldSize - size
        return base + Int(offset)
    }

    /// Takes over a cell of another block unchanged, the memory of a large one included.
    mutating func takeCell(_ offset: UInt32, _ size: Int, of other: ByteBlock) -> UInt32 {
        let address = takeBytes(for: size)
        address.copyMemory(from: other.base + Int(offset), byteCount: Self.footprint(size))
        return UInt32(truncatingIfNeeded: address - base)
    }

    /// Room for a cell at the end, aligned, so that memory tools find the addresses.
    @inline(__always)
    private mutating func takeBytes(for size: Int) -> UnsafeMutableRawPointer {
        let isLarge = size > Self.largestInside
        let padding = isLarge ? -used & 7 : 0
        let footprint = Self.footprint(size)
        if capacity - used < padding + footprint { grow(for: padding + footprint) }
        wasted += padding
        used += padding + footprint
        return base + (used - footprint)
    }

    @inline(never)
    private mutating func grow(for needed: Int) {
        let room = max(used + needed, capacity + capacity / 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
        larger.copyMemory(from: base, byteCount: used)
        base.deallocate()
        base = larger
        capacity = room
    }
}
