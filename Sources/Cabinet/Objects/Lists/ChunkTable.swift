/// Which chunk of a ``LongList`` holds an object, and how often the object stands in the list.
///
/// A hash table with open addressing, by address: a tenth of a `Dictionary`'s instructions.
struct ChunkTable<Chunk: AnyObject>: ~Copyable {
    struct Slot {
        /// The object's address; 0 where there is none.
        fileprivate var key: UInt
        // The list holds its chunks.
        unowned(unsafe) var chunk: Chunk?
        var times: Int
    }

    private var slots: UnsafeMutablePointer<Slot>
    private var mask: Int
    private(set) var count = 0

    init(room count: Int) {
        var capacity = 16
        while capacity < 2 * count { capacity *= 2 }
        slots = Self.allocate(capacity)
        mask = capacity - 1
    }

    deinit { slots.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        slots.initialize(repeating: Slot(key: 0, chunk: nil, times: 0), count: capacity)
        return slots
    }

    @inline(__always)
    private static func key(of object: StoredObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    /// Where the search for `key` begins: Fibonacci hashing (Knuth, TAOCP 6.4), the high half.
    @inline(__always)
    private func storedClass(of key: UInt) -> Int {
        let product = UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product >> 32) & mask
    }

    /// The slot of `key`, or the free one in which it belongs.
    @inline(__always)
    private func slot(of key: UInt) -> Int {
        var index = storedClass(of: key)
        while slots[index].key != key, slots[index].key != 0 { index = (index &+ 1) & mask }
        return index
    }

    /// What is known of `object`; `nil` if it is not in the list. Valid until the table changes.
    @inline(__always)
    func find(_ object: StoredObject) -> UnsafeMutablePointer<Slot>? {
        let slot = slots + slot(of: Self.key(of: object))
        return slot.pointee.key == 0 ? nil : slot
    }

    /// `object` stands in `chunk`, too.
    mutating func note(_ object: StoredObject, in chunk: Chunk) {
        let key = Self.key(of: object)
        var index = slot(of: key)
        if slots[index].key == 0 {
            if 2 * (count + 1) > mask + 1 {
                grow()
                index = slot(of: key)
            }
            slots[index].key = key
            count += 1
        }
        slots[index].chunk = chunk
        slots[index].times += 1
    }

    mutating func remove(_ object: StoredObject) {
        var gap = slot(of: Self.key(of: object))
        guard slots[gap].key != 0 else { return }
        count -= 1
        // Those behind it move up, so that no search ends too early.
        var index = (gap + 1) & mask
        while slots[index].key != 0 {
            let distance = (index &- storedClass(of: slots[index].key)) & mask
            if distance >= (index &- gap) & mask {
                slots[gap] = slots[index]
                gap = index
            }
            index = (index &+ 1) & mask
        }
        slots[gap] = Slot(key: 0, chunk: nil, times: 0)
    }

    private mutating func grow() {
        let (old, capacity) = (slots, mask + 1)
        slots = Self.allocate(2 * capacity)
        mask = 2 * capacity - 1
        for index in 0..<capacity where old[index].key != 0 {
            slots[slot(of: old[index].key)] = old[index]
        }
        old.deallocate()
    }
}
