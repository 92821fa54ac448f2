/// Objects in the order in which they came, each held. In blocks: an array of millions is copied
/// each time it grows, into memory that the process has not touched yet.
struct PendingObjects: Sequence {
    /// How many objects a block holds: 512 KiB of them.
    static let blockSize = 1 << 16

    private var full: [[StoredObject]] = []
    private var current: [StoredObject] = []

    var count: Int { full.count &* Self.blockSize &+ current.count }

    var isEmpty: Bool { current.isEmpty }

    var last: StoredObject? { current.last }

    @inline(__always)
    mutating func append(_ object: StoredObject) {
        if current.count == Self.blockSize { beginBlock() }
        current.append(object)
    }

    @inline(never)
    private mutating func beginBlock() {
        full.append(current)
        current = []
        current.reserveCapacity(Self.blockSize)
    }

    mutating func removeAll(where isGone: (StoredObject) -> Bool) {
        var kept = PendingObjects()
        forEachHeld { if !isGone($0) { kept.append($0) } }
        self = kept
    }

    @inline(__always)
    func forEachHeld(from start: Int = 0, _ body: (StoredObject) throws -> Void) rethrows {
        try forEachHeld(in: start..<Swift.max(start, count), body)
    }

    @inline(__always)
    func forEachHeld(
        in positions: Range<Int>, _ body: (StoredObject) throws -> Void
    ) rethrows {
        var position = positions.lowerBound
        while position < positions.upperBound {
            let block = position / Self.blockSize
            let start = block * Self.blockSize
            let end = Swift.min(positions.upperBound, start + Self.blockSize)
            try (block < full.count ? full[block] : current).forEachHeld(
                in: position - start..<end - start, body)
            position = end
        }
    }

    /// Releases all objects, and the memory too where it is more than a small save needs.
    mutating func empty() {
        if !full.isEmpty { full = [] }
        current.empty()
    }

    struct Iterator: IteratorProtocol {
        fileprivate let objects: PendingObjects
        fileprivate var block: IndexingIterator<[StoredObject]>
        fileprivate var position = 0

        mutating func next() -> StoredObject? {
            while true {
                if let object = block.next() { return object }
                guard position <= objects.full.count else { return nil }
                block = (position < objects.full.count ? objects.full[position] : objects.current)
                    .makeIterator()
                position += 1
            }
        }
    }

    func makeIterator() -> Iterator { Iterator(objects: self, block: [].makeIterator()) }
}
