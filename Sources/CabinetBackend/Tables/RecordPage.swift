struct RecordPage {
    static let rows = 256

    private struct Slot {
        /// Where the value's cell is in the block; `.max` where there is no row.
        var offset: UInt32 = .max
        var length: UInt32 = 0
    }

    private let slots: UnsafeMutablePointer<Slot>
    private var block = ByteBlock(capacity: 256)
    private(set) var count = 0

    init() {
        slots = .allocate(capacity: Self.rows)
        slots.initialize(repeating: Slot(), count: Self.rows)
    }

    func deallocate() {
        for index in 0..<Self.rows where slots[index].offset != .max {
            let size = Int(slots[index].length)
            guard size > ByteBlock.largestInside else { continue }
            block.address(slots[index].offset, size).deallocate()
        }
        block.deallocate()
        slots.deallocate()
    }

    @inline(__always)
    func value(at index: Int) -> UnsafeRawBufferPointer? {
        let slot = slots[index]
        guard slot.offset != .max else { return nil }
        let size = Int(slot.length)
        return UnsafeRawBufferPointer(start: block.address(slot.offset, size), count: size)
    }

    mutating func put(_ value: UnsafeRawBufferPointer, at index: Int) {
        let slot = slots[index]
        let size = value.count
        let target: UnsafeMutableRawPointer
        if slot.offset == .max {
            count += 1
            (slots[index].offset, target) = block.makeCell(size)
        } else if let same = block.reuseCell(slot.offset, Int(slot.length), for: size) {
            target = same
        } else {
            block.freeCell(slot.offset, Int(slot.length))
            slots[index].offset = .max
            if block.isWasteful { rewriteBlock() }
            (slots[index].offset, target) = block.makeCell(size)
        }
        slots[index].length = UInt32(truncatingIfNeeded: size)
        if size > 0, let source = value.baseAddress {
            target.copyMemory(from: source, byteCount: size)
        }
    }

    /// `false`: there is no such row.
    mutating func delete(at index: Int) -> Bool {
        let slot = slots[index]
        guard slot.offset != .max else { return false }
        block.freeCell(slot.offset, Int(slot.length))
        slots[index] = Slot()
        count -= 1
        if block.isWasteful { rewriteBlock() }
        return true
    }

    private mutating func rewriteBlock() {
        var compact = ByteBlock(capacity: block.used - block.wasted)
        for index in 0..<Self.rows where slots[index].offset != .max {
            slots[index].offset = compact.takeCell(
                slots[index].offset, Int(slots[index].length), of: block)
        }
        block.deallocate()
        block = compact
    }
}
