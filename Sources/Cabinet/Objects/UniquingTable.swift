import CabinetBackend

/// Which object stands for which row: unretained pointers, found by row.
///
/// A directory has 10 bytes for each 128 rows up to the highest; those never used take no memory.
/// It holds the only object of 128 rows, or a page of 128 pointers, which goes with its last
/// object. So objects that lie far apart take a line of the cache each, and a look-up is three
/// loads at most.
struct UniquingTable: ~Copyable {
    private typealias Slot = UnsafeRawPointer?
    private typealias Page = UnsafeMutablePointer<Slot>

    private static let pageBits: UInt32 = 7
    private static let pageSize = 1 << Int(pageBits)

    /// Of each 128 rows the only object, or the page.
    private var directory: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// Of each 128 rows how many objects a page has; ``only`` and the row's place for one object
    /// without it.
    private var occupancies: UnsafeMutablePointer<UInt16>
    private static let only: UInt16 = 0x8000
    /// How many 128 rows the directory is made for.
    private var pageCount = 0
    /// Empty pages, up to ``mostSpare``: reads without holding would make and clear one each time.
    private var spare: UnsafeMutablePointer<Page>?
    private var spareCount = 0
    /// Four MiB of pages.
    private static let mostSpare = 4096
    private(set) var count = 0

    init() {
        directory = HeapBytes.allocateZeros(8).bindMemory(
            to: UnsafeMutableRawPointer?.self, capacity: 1)
        occupancies = HeapBytes.allocateZeros(2).bindMemory(to: UInt16.self, capacity: 1)
    }

    deinit {
        for index in 0..<pageCount { page(index)?.deallocate() }
        HeapBytes.free(directory)
        HeapBytes.free(occupancies)
        guard let spare else { return }
        for index in 0..<spareCount { spare[index].deallocate() }
        spare.deallocate()
    }

    /// The page of 128 rows; `nil` if they have none.
    @inline(__always)
    private func page(_ index: Int) -> Page? {
        guard let found = directory[index], occupancies[index] < Self.only else { return nil }
        return found.assumingMemoryBound(to: Slot.self)
    }

    /// The object in a slot of 128 rows.
    @inline(__always)
    private func pointer(_ index: Int, _ slot: Int) -> UnsafeRawPointer? {
        guard let found = directory[index] else { return nil }
        let occupancy = occupancies[index]
        guard occupancy < Self.only else {
            return occupancy == Self.mark(slot) ? UnsafeRawPointer(found) : nil
        }
        return found.assumingMemoryBound(to: Slot.self)[slot]
    }

    /// What stands for an only object in a slot.
    @inline(__always)
    private static func mark(_ slot: Int) -> UInt16 { only | UInt16(truncatingIfNeeded: slot) }

    @inline(__always)
    private static func index(of row: RowID) -> Int { Int(row.rawValue >> pageBits) }

    @inline(__always)
    private static func slot(of row: RowID) -> Int { row.index & (pageSize - 1) }

    @inline(__always)
    subscript(row: RowID) -> StoredObject? {
        let index = Self.index(of: row)
        guard index < pageCount, let pointer = pointer(index, Self.slot(of: row)) else {
            return nil
        }
        return Unmanaged<StoredObject>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Notes that `object` stands for `row`, which had no object.
    @inline(__always)
    mutating func insert(_ object: StoredObject, at row: RowID) {
        let index = Self.index(of: row)
        if index >= pageCount { growDirectory(toHold: index) }
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        count += 1
        if directory[index] == nil {
            directory[index] = pointer
            occupancies[index] = Self.mark(Self.slot(of: row))
            return
        }
        let page = page(index) ?? makePage(index)
        page[Self.slot(of: row)] = UnsafeRawPointer(pointer)
        occupancies[index] &+= 1
    }

    /// Empties the slot of `row` if it is `object` that stands there.
    @inline(__always)
    mutating func remove(_ object: StoredObject, at row: RowID) {
        let index = Self.index(of: row)
        let slot = Self.slot(of: row)
        guard index < pageCount,
            pointer(index, slot) == UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        else { return }
        count -= 1
        guard let page = page(index) else {
            directory[index] = nil
            occupancies[index] = 0
            return
        }
        page[slot] = nil
        occupancies[index] &-= 1
        if occupancies[index] == 0 { takeAway(index, page) }
    }

    /// Takes every object out, and calls `body` with each, which must not come back here.
    mutating func removeAll(_ body: (StoredObject) -> Void) {
        for index in 0..<pageCount where directory[index] != nil {
            for slot in 0..<Self.pageSize {
                guard let pointer = pointer(index, slot) else { continue }
                Unmanaged<StoredObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
            }
            page(index)?.deallocate()
            directory[index] = nil
            occupancies[index] = 0
        }
        count = 0
    }

    /// The first object whose row is `row` or higher. Objects may come and go between two calls.
    func next(from row: Int) -> (row: Int, object: StoredObject)? {
        var index = row >> Int(Self.pageBits)
        var slot = row & (Self.pageSize - 1)
        while index < pageCount {
            if directory[index] != nil {
                while slot < Self.pageSize {
                    if let pointer = pointer(index, slot) {
                        let object = Unmanaged<StoredObject>.fromOpaque(pointer)
                        return (index * Self.pageSize + slot, object.takeUnretainedValue())
                    }
                    slot += 1
                }
            }
            index += 1
            slot = 0
        }
        return nil
    }

    /// A page for 128 rows that have an only object, which moves there.
    @inline(never)
    private mutating func makePage(_ index: Int) -> Page {
        let page = takePage()
        page[Int(occupancies[index] & ~Self.only)] = UnsafeRawPointer(directory[index])
        directory[index] = UnsafeMutableRawPointer(page)
        occupancies[index] = 1
        return page
    }

    private mutating func takePage() -> Page {
        if let spare, spareCount > 0 {
            spareCount -= 1
            return spare[spareCount]
        }
        let page = Page.allocate(capacity: Self.pageSize)
        page.initialize(repeating: nil, count: Self.pageSize)
        return page
    }

    @inline(never)
    private mutating func takeAway(_ index: Int, _ page: Page) {
        directory[index] = nil
        guard spareCount < Self.mostSpare else { return page.deallocate() }
        let room = spare ?? .allocate(capacity: Self.mostSpare)
        spare = room
        (room + spareCount).initialize(to: page)
        spareCount += 1
    }

    @inline(never)
    private mutating func growDirectory(toHold index: Int) {
        let room = max(index + 1, pageCount * 2, 16)
        Self.grow(&directory, from: pageCount, to: room)
        Self.grow(&occupancies, from: pageCount, to: room)
        pageCount = room
    }

    /// Makes room for elements, zeros. What is not used takes no memory yet: a reference to a very
    /// high row, as a damaged record may have one, would take 0.3 GB.
    private static func grow<Element>(
        _ memory: inout UnsafeMutablePointer<Element>, from count: Int, to room: Int
    ) {
        let size = MemoryLayout<Element>.stride
        let larger = HeapBytes.allocateZeros(room * size)
        larger.copyMemory(from: memory, byteCount: count * size)
        HeapBytes.free(memory)
        memory = larger.bindMemory(to: Element.self, capacity: room)
    }
}
