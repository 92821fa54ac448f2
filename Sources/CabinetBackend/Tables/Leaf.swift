import CLibrary

/// Up to 256 keys in the order of their bytes, each with its value.
struct Leaf {
    static let capacity = 256

    private struct Slot {
        /// The key's first bytes, so that most comparisons need not look the key up.
        var start: UInt32
        /// Where the cell is in the block: the key, then the value.
        var offset: UInt32
        var keyLength: UInt32
        var valueLength: UInt32

        var size: Int { Int(keyLength) + Int(valueLength) }
    }

    private let slots: UnsafeMutablePointer<Slot>
    private var block = ByteBlock(capacity: 256)
    private(set) var count = 0

    init() { slots = .allocate(capacity: Self.capacity) }

    func deallocate() {
        for index in 0..<count where slots[index].size > ByteBlock.largestInside {
            block.address(slots[index].offset, slots[index].size).deallocate()
        }
        block.deallocate()
        slots.deallocate()
    }

    @inline(__always)
    func key(at index: Int) -> UnsafeRawBufferPointer {
        let slot = slots[index]
        return UnsafeRawBufferPointer(
            start: block.address(slot.offset, slot.size), count: Int(slot.keyLength))
    }

    @inline(__always)
    func value(at index: Int) -> UnsafeRawBufferPointer {
        let slot = slots[index]
        return UnsafeRawBufferPointer(
            start: block.address(slot.offset, slot.size) + Int(slot.keyLength),
            count: Int(slot.valueLength))
    }

    /// The first index whose key is not before `key`, and whether it is `key` itself.
    func find(_ key: UnsafeRawBufferPointer) -> (index: Int, isThere: Bool) {
        let start = Self.start(of: key)
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let found = slots[middle].start
            let order =
                found == start
                ? Self.order(self.key(at: middle), key) : found < start ? -1 : 1
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Below 0 if `one` comes before `other`, 0 if they are equal, as unsigned bytes.
    @inline(__always)
    static func order(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
        let shared = min(one.count, other.count)
        if shared > 0, let left = one.baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, shared)
            if order != 0 { return Int(order) }
        }
        return one.count - other.count
    }

    /// The first four bytes of `key` as a number, zeros behind a shorter one: different ones are in
    /// the keys' order.
    @inline(__always)
    private static func start(of key: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: longStart(of: key) >> 32)
    }

    /// The same of eight bytes.
    @inline(__always)
    static func longStart(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        var start: UInt64 = 0
        for byte in key { start = start << 8 | UInt64(byte) }
        return key.isEmpty ? 0 : start << (64 - 8 * UInt64(key.count))
    }

    /// Adds a key that is not there at its index. The leaf must not be full.
    mutating func insert(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, at index: Int
    ) {
        let (offset, address) = block.makeCell(key.count + value.count)
        Self.copy(key, value, to: address)
        (slots + index + 1).update(from: slots + index, count: count - index)
        slots[index] = Slot(
            start: Self.start(of: key), offset: offset,
            keyLength: UInt32(truncatingIfNeeded: key.count),
            valueLength: UInt32(truncatingIfNeeded: value.count))
        count += 1
    }

    mutating func replace(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, at index: Int
    ) {
        let slot = slots[index]
        let size = key.count + value.count
        if let address = block.reuseCell(slot.offset, slot.size, for: size) {
            Self.copy(key, value, to: address)
            slots[index].valueLength = UInt32(truncatingIfNeeded: value.count)
        } else {
            remove(at: index)
            insert(key, value, at: index)
        }
    }

    mutating func remove(at index: Int) {
        block.freeCell(slots[index].offset, slots[index].size)
        count -= 1
        (slots + index).update(from: slots + index + 1, count: count - index)
        if block.isWasteful { take(over: 0..<count, of: self) }
    }

    mutating func split() -> Leaf {
        var upper = Leaf()
        upper.append(count / 2..<count, of: self)
        take(over: 0..<count / 2, of: self)
        return upper
    }

    /// Adds all keys of the leaf that follows, which is spent. There must be room for them.
    mutating func absorb(_ next: Leaf) {
        append(0..<next.count, of: next)
        next.block.deallocate()
        next.slots.deallocate()
    }

    private mutating func append(_ range: Range<Int>, of other: Leaf) {
        for index in range {
            var slot = other.slots[index]
            slot.offset = block.takeCell(slot.offset, slot.size, of: other.block)
            slots[count] = slot
            count += 1
        }
    }

    /// Rewrites the block with the cells of `range` alone.
    private mutating func take(over range: Range<Int>, of old: Leaf) {
        block = ByteBlock(capacity: old.block.used / 2)
        count = 0
        append(range, of: old)
        old.block.deallocate()
    }

    @inline(__always)
    private static func copy(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        to address: UnsafeMutableRawPointer
    ) {
        if let source = key.baseAddress, key.count > 0 {
            address.copyMemory(from: source, byteCount: key.count)
        }
        if let source = value.baseAddress, value.count > 0 {
            (address + key.count).copyMemory(from: source, byteCount: value.count)
        }
    }
}
