import CLibrary

/// The terms of a segment that is being made, with the postings of each, in memory of its own.
///
/// A hash table with open addressing: a dictionary of byte arrays would take several times as long and
/// as much. A term is compared by its first eight bytes first, which most have no more than. Memory is
/// not checked for bounds: all that is in it was written here. Its owner frees it, and makes no copies.
struct TermTable {
    /// One term.
    struct Term {
        /// Its first 8 bytes as a big-endian number, 0 for bytes behind its end: shorter terms are
        /// different if these or the counts are.
        let prefix: UInt64
        /// Where its bytes begin in ``bytes``.
        let start: UInt32
        let count: UInt16
        /// Whether the rows came in ascending order.
        var isInOrder = true
        /// The number of the last text that has the term, and its last place there.
        var text: UInt32 = 0
        var place: UInt32 = 0
        /// The row of the last posting.
        var row: UInt32 = 0
        /// The first block of its postings, and the one that is being filled.
        var first = UInt32.max
        var last = UInt32.max
        /// Where the next byte goes, and where the block ends.
        var cursor: UInt32 = 0
        var end: UInt32 = 0

        init(_ key: TermKey, start: Int) {
            prefix = key.prefix
            self.start = UInt32(truncatingIfNeeded: start)
            count = key.count
        }

        /// Whether its first bytes and their number are those of `key`.
        @inline(__always)
        func has(_ key: TermKey) -> Bool { prefix == key.prefix && count == key.count }
    }

    private(set) var terms = PlainList<Term>()
    private(set) var bytes = PlainList<UInt8>()
    /// Blocks of postings: see ``append(_:to:)``.
    private(set) var arena = PlainList<UInt8>()
    /// A term's number plus one, or 0.
    private var slots = PlainList<UInt32>()
    let hashing = TermHashing()
    /// Depends on bytes that were read only so that they are on their way.
    private var fetched: UInt8 = 0

    init() {}

    func deallocate() {
        terms.deallocate()
        bytes.deallocate()
        arena.deallocate()
        slots.deallocate()
    }

    var isEmpty: Bool { terms.count == 0 }
    var count: Int { terms.count }
    /// How many bytes of memory the terms take.
    var size: Int {
        arena.count &+ bytes.count &+ terms.count &* MemoryLayout<Term>.stride &+ slots.count &* 4
    }

    /// Forgets all terms, and frees their memory if it is much.
    mutating func removeAll() {
        terms.removeAll()
        bytes.removeAll()
        arena.removeAll()
        slots.removeAll()
    }

    /// The number of `term`, which is added if need be.
    ///
    /// The memory of a ``Token``: 8 bytes may be read, however short the term is.
    @inline(__always)
    mutating func number(of term: UnsafeRawBufferPointer) -> Int {
        let key = TermKey(term, hashing)
        return key.count <= 8 ? number(ofShort: key) : number(ofLong: key, term)
    }

    /// The number of a term of at most 8 bytes.
    @inline(__always)
    mutating func number(ofShort key: TermKey) -> Int {
        if slots.count > 0 {
            let mask = slots.count &- 1
            var slot = key.hash & mask
            while slots[slot] != 0 {
                let number = Int(slots[slot]) &- 1
                if terms.base[number].has(key) { return number }
                slot = (slot &+ 1) & mask
            }
        }
        return add(key)
    }

    /// Finds the numbers of terms that are looked up together, and adds those that it does not know.
    ///
    /// Each step is made for all of them before the next one: a processor that waits for the memory of one
    /// term begins to fetch that of others. One after the other, the waits were half of what adding a text
    /// took.
    mutating func find(_ met: inout MetTerms) {
        if slots.count == 0 { grow() }
        let mask = slots.count &- 1
        let (keys, numbers) = (met.keys, met.numbers)
        for index in 0..<met.count { numbers[index] = slots[keys[index].hash & mask] }
        for index in 0..<met.count where numbers[index] > 0 {
            let isFound = terms.base[Int(numbers[index] &- 1)].has(keys[index])
            numbers[index] = isFound && keys[index].count <= 8 ? numbers[index] : 0
        }
        for index in 0..<met.count {
            guard numbers[index] == 0 else {
                numbers[index] &-= 1
                continue
            }
            let number =
                keys[index].count <= 8
                ? number(ofShort: keys[index])
                : number(ofLong: keys[index], met.bytes(of: index))
            numbers[index] = UInt32(truncatingIfNeeded: number)
        }
        var sum: UInt8 = 0
        for index in 0..<met.count {
            let cursor = terms.base[Int(numbers[index])].cursor
            if cursor > 0 { sum &+= arena[Int(cursor) &- 1] }
        }
        fetched &+= sum
    }

    @inline(never)
    mutating func number(ofLong key: TermKey, _ term: UnsafeRawBufferPointer) -> Int {
        if slots.count > 0 {
            let mask = slots.count &- 1
            var slot = key.hash & mask
            while slots[slot] != 0 {
                let number = Int(slots[slot]) &- 1
                if isEqual(number, term, key) { return number }
                slot = (slot &+ 1) & mask
            }
        }
        let start = bytes.count
        bytes.append(term)
        return add(Term(key, start: start))
    }

    @inline(__always)
    private func isEqual(
        _ number: Int, _ term: UnsafeRawBufferPointer, _ key: TermKey
    ) -> Bool {
        guard terms.base[number].has(key), let base = term.baseAddress else { return false }
        return memcmp(
            bytes.base + Int(terms.base[number].start) + 8, base + 8, Int(key.count) - 8) == 0
    }

    @inline(never)
    private mutating func add(_ key: TermKey) -> Int {
        let start = bytes.count
        for index in 0..<Int(key.count) {
            bytes.append(UInt8(truncatingIfNeeded: key.prefix >> UInt64(56 - 8 * index)))
        }
        return add(Term(key, start: start))
    }

    private mutating func add(_ term: Term) -> Int {
        let number = terms.count
        terms.append(term)
        if (number + 1) * 2 > slots.count { grow() } else { enter(number) }
        return number
    }

    private mutating func enter(_ number: Int) {
        let mask = slots.count - 1
        let term = terms[number]
        let key =
            term.count <= 8
            ? TermKey(term.prefix, count: Int(term.count), hashing)
            : TermKey(bytes(of: number), hashing)
        var slot = key.hash & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(number + 1)
    }

    private mutating func grow() {
        let count = max(slots.count * 2, 1024)
        slots.removeAll()
        slots.append(zeros: count)
        for number in 0..<terms.count { enter(number) }
    }

    // MARK: Postings

    /// A term, to be changed.
    @inline(__always)
    func term(_ number: Int) -> UnsafeMutablePointer<Term> { terms.base + number }

    /// Appends a number to the postings of a term, 7 bits a byte; see ``Varint``.
    ///
    /// A term's numbers lie in blocks, each about twice as large as the one before: where the next one
    /// is, how many bytes of this one are used, both 4 bytes, the numbers, none of which goes on in the
    /// next block.
    @inline(__always)
    mutating func append(_ number: UInt32, to term: UnsafeMutablePointer<Term>) {
        if term.pointee.end &- term.pointee.cursor < Self.longestNumber { addBlock(to: term) }
        let place = Self.write(number, at: arena.base + Int(term.pointee.cursor))
        term.pointee.cursor = UInt32(truncatingIfNeeded: place - arena.base)
    }

    /// Appends two numbers to the postings of a term.
    @inline(__always)
    mutating func append(
        _ one: UInt32, _ two: UInt32, to term: UnsafeMutablePointer<Term>
    ) {
        guard term.pointee.end &- term.pointee.cursor >= 2 &* Self.longestNumber else {
            append(one, to: term)
            return append(two, to: term)
        }
        var place = Self.write(one, at: arena.base + Int(term.pointee.cursor))
        place = Self.write(two, at: place)
        term.pointee.cursor = UInt32(truncatingIfNeeded: place - arena.base)
    }

    /// Appends three numbers to the postings of a term.
    @inline(__always)
    mutating func append(
        _ one: UInt32, _ two: UInt32, _ three: UInt32, to term: UnsafeMutablePointer<Term>
    ) {
        guard term.pointee.end &- term.pointee.cursor >= 3 &* Self.longestNumber else {
            append(one, to: term)
            append(two, to: term)
            return append(three, to: term)
        }
        var place = Self.write(one, at: arena.base + Int(term.pointee.cursor))
        place = Self.write(two, at: place)
        place = Self.write(three, at: place)
        term.pointee.cursor = UInt32(truncatingIfNeeded: place - arena.base)
    }

    /// So many bytes a number takes at most.
    private static let longestNumber: UInt32 = 5

    /// Returns where the next number goes.
    @inline(__always)
    private static func write(
        _ number: UInt32, at start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var (place, rest) = (start, number)
        while rest >= 0x80 {
            place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            place += 1
            rest >>= 7
        }
        place.pointee = UInt8(truncatingIfNeeded: rest)
        return place + 1
    }

    @inline(never)
    private mutating func addBlock(to term: UnsafeMutablePointer<Term>) {
        let former = term.pointee.last
        let start = UInt32(truncatingIfNeeded: arena.count)
        var room: UInt32 = 16
        if former == .max {
            term.pointee.first = start
        } else {
            room = min((term.pointee.end - former - 8) * 2, 4096)
            arena.set(start, at: Int(former))
            arena.set(term.pointee.cursor - former - 8, at: Int(former) + 4)
        }
        arena.append(uninitialized: Int(8 + room))
        arena.set(UInt32.max, at: Int(start))
        term.pointee.last = start
        term.pointee.cursor = start + 8
        term.pointee.end = start + 8 + room
    }

    // MARK: Reading

    /// The terms in the order of their bytes.
    func sorted() -> [UInt32] {
        let (terms, bytes) = (terms.base, bytes.base)
        var order = (0..<UInt32(count)).map { (prefix: terms[Int($0)].prefix, number: $0) }
        order.sort { one, other in
            if one.prefix != other.prefix { return one.prefix < other.prefix }
            let (one, other) = (terms[Int(one.number)], terms[Int(other.number)])
            let order = memcmp(
                bytes + Int(one.start), bytes + Int(other.start),
                Int(min(one.count, other.count)))
            return order == 0 ? one.count < other.count : order < 0
        }
        return order.map(\.number)
    }

    /// The bytes of a term, which live until another one is added.
    func bytes(of term: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: bytes.base + Int(terms[term].start), count: Int(terms[term].count))
    }
}
