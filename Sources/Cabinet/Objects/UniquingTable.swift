import CabinetBackend

/// Which object stands for which row: pages of unretained pointers, found by row.
///
/// A look-up is two loads. A page holds 128 rows and goes when its last object does; the
/// directory of pages is as long as the highest row needs (10 bytes for each 128 rows, of which those
/// that were never used take no memory).
struct UniquingTable: ~Copyable {
    private typealias Slot = UnsafeRawPointer?

    private static let pageBits: UInt32 = 7
    private static let pageSize = 1 << Int(pageBits)

    private var pages: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>
    /// How many objects there are on each page. Beside the directory, as the objects that a search finds lie
    /// on as many pages, of which each would be a further line of the cache.
    private var occupancies: UnsafeMutablePointer<UInt16>
    private var pageCount = 0
    /// Empty pages, room for ``mostSpare`` once there is one. They are kept because reading objects that
    /// the program does not hold would make and clear a page for each time: a query by an index may find as many pages
    /// as objects.
    private var spare: UnsafeMutablePointer<UnsafeMutablePointer<Slot>>?
    private var spareCount = 0
    /// Four MiB of pages.
    private static let mostSpare = 4096
    /// How many objects there are.
    private(set) var count = 0

    init() {
        pages = HeapBytes.allocateZeros(8).bindMemory(
            to: UnsafeMutablePointer<Slot>?.self, capacity: 1)
        occupancies = HeapBytes.allocateZeros(2).bindMemory(to: UInt16.self, capacity: 1)
    }

    deinit {
        for index in 0..<pageCount { pages[index]?.deallocate() }
        HeapBytes.free(pages)
        HeapBytes.free(occupancies)
        guard let spare else { return }
        for index in 0..<spareCount { spare[index].deallocate() }
        spare.deallocate()
    }

    /// The object of `row`, if there is one.
    @inline(__always)
    subscript(row: RowID) -> StoredObject? {
        let index = Int(row.rawValue >> Self.pageBits)
        guard index < pageCount, let page = pages[index],
            let pointer = page[row.index & (Self.pageSize - 1)]
        else { return nil }
        return Unmanaged<StoredObject>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Notes that `object` stands for `row`, which had no object.
    @inline(__always)
    mutating func insert(_ object: StoredObject, at row: RowID) {
        let index = Int(row.rawValue >> Self.pageBits)
        if index >= pageCount { growDirectory(toHold: index) }
        let page = pages[index] ?? makePage(index)
        page[row.index & (Self.pageSize - 1)] = UnsafeRawPointer(
            Unmanaged.passUnretained(object).toOpaque())
        occupancies[index] &+= 1
        count += 1
    }

    /// Empties the slot of `row` if it is `object` that stands there.
    @inline(__always)
    mutating func remove(_ object: StoredObject, at row: RowID) {
        let index = Int(row.rawValue >> Self.pageBits)
        let slot = row.index & (Self.pageSize - 1)
        guard index < pageCount, let page = pages[index],
            page[slot] == UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        else { return }
        page[slot] = nil
        count -= 1
        occupancies[index] &-= 1
        if occupancies[index] == 0 { takeAway(index, page) }
    }

    /// Takes every object out, and calls `body` with each, which must not come back here.
    mutating func removeAll(_ body: (StoredObject) -> Void) {
        for index in 0..<pageCount {
            guard let page = pages[index] else { continue }
            for slot in 0..<Self.pageSize {
                guard let pointer = page[slot] else { continue }
                Unmanaged<StoredObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
            }
            page.deallocate()
            pages[index] = nil
            occupancies[index] = 0
        }
        count = 0
    }

    @inline(never)
    private mutating func takeAway(_ index: Int, _ page: UnsafeMutablePointer<Slot>) {
        pages[index] = nil
        guard spareCount < Self.mostSpare else { return page.deallocate() }
        let room = spare ?? .allocate(capacity: Self.mostSpare)
        spare = room
        (room + spareCount).initialize(to: page)
        spareCount += 1
    }

    /// The first object whose row is `row` or higher, and its row.
    ///
    /// A walk asks for one after the other, so that objects may come and go in between.
    func next(from row: Int) -> (row: Int, object: StoredObject)? {
        var index = row >> Int(Self.pageBits)
        var slot = row & (Self.pageSize - 1)
        while index < pageCount {
            if let page = pages[index] {
                while slot < Self.pageSize {
                    if let pointer = page[slot] {
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

    @inline(never)
    private mutating func makePage(_ index: Int) -> UnsafeMutablePointer<Slot> {
        if let spare, spareCount > 0 {
            spareCount -= 1
            let page = spare[spareCount]
            pages[index] = page
            return page
        }
        let page = UnsafeMutablePointer<Slot>.allocate(capacity: Self.pageSize)
        page.initialize(repeating: nil, count: Self.pageSize)
        pages[index] = page
        return page
    }

    @inline(never)
    private mutating func growDirectory(toHold index: Int) {
        let room = max(index + 1, pageCount * 2, 16)
        Self.grow(&pages, from: pageCount, to: room)
        Self.grow(&occupancies, from: pageCount, to: room)
        pageCount = room
    }

    /// Makes room for more elements, which are zeros. What is not used takes no memory yet: a reference to
    /// a very high row, as a damaged record may have one, would take 0.3 GB.
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
