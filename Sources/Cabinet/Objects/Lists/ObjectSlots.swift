import CabinetBackend

/// The memory of an ``ObjectList``: for each position a word, the object or, until it is asked for,
/// its row. Lists may share one until one of them changes; making an object is no change.
@usableFromInline
final class ObjectSlots {
    /// An object, retained, or twice its row and one.
    @exclusivity(unchecked) @usableFromInline final var words: UnsafeMutablePointer<UInt>
    @exclusivity(unchecked) @usableFromInline final var count = 0
    private var capacity: Int

    /// How many slots hold a row.
    @exclusivity(unchecked) private(set) var unmade = 0
    /// The class whose rows they are; `nil` when there are none. It lives on when its store goes.
    @exclusivity(unchecked) private(set) var storedClass: StoredClass?

    init(capacity: Int) {
        self.capacity = max(capacity, 4)
        words = .allocate(capacity: self.capacity)
    }

    deinit {
        if unmade < count { handOver() }
        words.deallocate()
    }

    /// Releases all objects; those that nothing else holds are freed through the thread's queue.
    private func handOver() {
        guard let queue = ReleaseQueue.current else { return release(0..<count) }
        for position in 0..<count where words[position] & 1 == 0 {
            guard let pointer = UnsafeRawPointer(bitPattern: words[position]) else { continue }
            var object: StoredObject? =
                Unmanaged<StoredObject>.fromOpaque(pointer).takeRetainedValue()
            if isKnownUniquelyReferenced(&object), let last = object.take() { queue.append(last) }
        }
        queue.drain()
    }

    // MARK: Reading

    /// The object at `position`, which must be less than `count`.
    @inlinable @inline(__always)
    final func object(at position: Int) -> StoredObject {
        let word = words[position]
        guard word & 1 == 0, let pointer = UnsafeRawPointer(bitPattern: word) else {
            return make(at: position)
        }
        return Unmanaged<StoredObject>.fromOpaque(pointer).takeUnretainedValue()
    }

    @inline(never) @usableFromInline
    final func make(at position: Int) -> StoredObject {
        guard let row = row(at: position), let storedClass else {
            preconditionFailure("no row is left")
        }
        let object = storedClass.listedObject(at: row)
        words[position] = Self.word(retaining: object)
        didMake()
        return object
    }

    func makeAll() {
        for position in 0..<count where words[position] & 1 == 1 { _ = make(at: position) }
    }

    /// The row at `position`; `nil` if the object was made.
    @inline(__always)
    final func row(at position: Int) -> RowID? {
        let word = words[position]
        return word & 1 == 1 ? RowID(UInt32(truncatingIfNeeded: word >> 1)) : nil
    }

    /// The first position of `object`; looking for it makes no object.
    @usableFromInline
    final func position(of object: StoredObject) -> Int? {
        let word = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        let isOfRows = unmade > 0 && object.storedClass === storedClass
        let row = isOfRows ? Self.word(of: object.rowID) : word
        return (0..<count).first { words[$0] == word || words[$0] == row }
    }

    // MARK: Changing

    /// A copy of its own, with room for `room` more.
    func copy(room: Int = 0) -> ObjectSlots {
        let copy = ObjectSlots(capacity: count + room)
        copy.append(contentsOf: self, 0..<count)
        return copy
    }

    func append(_ object: StoredObject) {
        reserveBytes(1)
        words[count] = Self.word(retaining: object)
        count += 1
    }

    /// Appends objects that lie side by side, in memory that holds them meanwhile.
    func append<Object: StoredObject>(_ objects: UnsafeBufferPointer<Object>) {
        guard let start = objects.baseAddress else { return }
        // References to objects have one form, whatever their class.
        append(UnsafeRawPointer(start), count: objects.count)
    }

    private func append(_ references: UnsafeRawPointer, count more: Int) {
        reserveBytes(more)
        let objects = references.assumingMemoryBound(to: Unmanaged<StoredObject>.self)
        for index in 0..<more {
            words[count &+ index] = UInt(bitPattern: objects[index].retain().toOpaque())
        }
        count += more
    }

    /// Appends a row of `storedClass`, the class of all rows here.
    @inline(__always)
    func append(_ row: RowID, of storedClass: StoredClass) {
        if self.storedClass == nil { self.storedClass = storedClass }
        reserveBytes(1)
        words[count] = Self.word(of: row)
        count += 1
        unmade += 1
    }

    /// Appends what stands at `positions` of `other`, rows as rows where all are of one class.
    func append(contentsOf other: ObjectSlots, _ positions: Range<Int>) {
        reserveBytes(positions.count)
        if other.unmade > 0, let storedClass = other.storedClass,
            self.storedClass == nil || self.storedClass === storedClass
        {
            for position in positions {
                if let row = other.row(at: position) {
                    append(row, of: storedClass)
                } else {
                    append(other.object(at: position))
                }
            }
        } else {
            for position in positions { append(other.object(at: position)) }
        }
    }

    func set(_ object: StoredObject, at position: Int) {
        let new = Self.word(retaining: object)
        release(position..<position + 1)
        words[position] = new
    }

    func swap(_ one: Int, _ other: Int) {
        (words[one], words[other]) = (words[other], words[one])
    }

    func remove(_ positions: Range<Int>) {
        release(positions)
        let tail = count - positions.upperBound
        (words + positions.lowerBound).update(from: words + positions.upperBound, count: tail)
        count -= positions.count
    }

    func reserveBytes(_ more: Int) {
        guard count + more > capacity else { return }
        capacity = max(count + more, capacity * 2)
        let larger = UnsafeMutablePointer<UInt>.allocate(capacity: capacity)
        larger.initialize(from: words, count: count)
        words.deallocate()
        words = larger
    }

    // MARK: Words

    private static func word(of row: RowID) -> UInt { UInt(row.rawValue) << 1 | 1 }

    private static func word(retaining object: StoredObject) -> UInt {
        UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    }

    /// Releases the objects at `positions`, whose words are invalid from then on.
    private func release(_ positions: Range<Int>) {
        if unmade == count {
            unmade -= positions.count
        } else {
            for position in positions {
                if words[position] & 1 == 1 {
                    unmade -= 1
                } else if let pointer = UnsafeRawPointer(bitPattern: words[position]) {
                    Unmanaged<StoredObject>.fromOpaque(pointer).release()
                }
            }
        }
        if unmade == 0 { storedClass = nil }
    }

    private func didMake() {
        unmade -= 1
        if unmade == 0 { storedClass = nil }
    }
}

extension StoredClass {
    /// The object of `row` in a list: one in memory, one known to be gone, or a new fault; after
    /// the store has closed, a new plain object.
    func listedObject(at row: RowID) -> StoredObject {
        if let object = existing(row) { return object }
        if isReleased { return type.init() }
        return isGone(row) ? makeDeletedObject(at: row) : makeObject(at: row)
    }

    /// Whether it is known that `row` has neither a record nor an object.
    @inline(__always)
    func isGone(_ row: RowID) -> Bool { !goneRows.isEmpty && goneRows.contains(row) }
}
