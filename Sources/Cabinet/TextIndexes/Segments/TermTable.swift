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

        init(_ prefix: UInt64, start: Int, count: Int) {
            self.prefix = prefix
            self.start = UInt32(truncatingIfNeeded: start)
            self.count = UInt16(truncatingIfNeeded: count)
        }
    }

    private(set) var terms = PlainList<Term>()
    private(set) var bytes = PlainList<UInt8>()
    /// Blocks of postings: see ``append(_:to:)``.
    private(set) var arena = PlainList<UInt8>()
    /// A term's number plus one, or 0.
    private var slots = PlainList<UInt32>()

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
        guard let base = term.baseAddress else { return number(ofShort: 0, count: 0) }
        let prefix = Self.prefix(base, term.count)
        if term.count <= 8 { return number(ofShort: prefix, count: term.count) }
        return number(ofLong: term, prefix)
    }

    /// The number of the term of `count` bytes, at most 8, the highest ones of `prefix`. All others are 0.
    @inline(__always)
    mutating func number(ofShort prefix: UInt64, count: Int) -> Int {
        let hash = Self.hash(prefix, count)
        if slots.count > 0 {
            let mask = slots.count &- 1
            var slot = hash & mask
            while slots[slot] != 0 {
                let number = Int(slots[slot]) &- 1
                let term = terms.base + number
                if term.pointee.prefix == prefix, Int(term.pointee.count) == count { return number }
                slot = (slot &+ 1) & mask
            }
        }
        return add(prefix, count)
    }

    @inline(never)
    private mutating func number(ofLong term: UnsafeRawBufferPointer, _ prefix: UInt64) -> Int {
        if slots.count > 0 {
            let mask = slots.count &- 1
            var slot = Self.hash(ofLong: term) & mask
            while slots[slot] != 0 {
                let number = Int(slots[slot]) &- 1
                if isEqual(number, term, prefix) { return number }
                slot = (slot &+ 1) & mask
            }
        }
        let start = bytes.count
        bytes.append(term)
        return add(Term(prefix, start: start, count: term.count))
    }

    private func isEqual(
        _ number: Int, _ term: UnsafeRawBufferPointer, _ prefix: UInt64
    ) -> Bool {
        guard terms[number].prefix == prefix, Int(terms[number].count) == term.count,
            let base = term.baseAddress
        else { return false }
        return memcmp(bytes.base + Int(terms[number].start) + 8, base + 8, term.count - 8) == 0
    }

    @inline(never)
    private mutating func add(_ prefix: UInt64, _ count: Int) -> Int {
        let start = bytes.count
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: prefix >> UInt64(56 - 8 * index)))
        }
        return add(Term(prefix, start: start, count: count))
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
        let hash =
            term.count <= 8
            ? Self.hash(term.prefix, Int(term.count)) : Self.hash(ofLong: bytes(of: number))
        var slot = hash & mask
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
        if term.pointee.end &- term.pointee.cursor < 5 { addBlock(to: term) }
        var place = arena.base + Int(term.pointee.cursor)
        var rest = number
        while rest >= 0x80 {
            place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            place += 1
            rest >>= 7
        }
        place.pointee = UInt8(truncatingIfNeeded: rest)
        term.pointee.cursor = UInt32(truncatingIfNeeded: place + 1 - arena.base)
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

    // MARK: Hashing

    /// The first 8 bytes of a term as a big-endian number, 0 for bytes behind its end.
    @inline(__always)
    private static func prefix(_ term: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let prefix = UInt64(bigEndian: term.loadUnaligned(as: UInt64.self))
        return count >= 8 ? prefix : prefix & ~(UInt64.max &>> UInt64(8 &* count))
    }

    /// So that no text can be written whose words all belong to one slot.
    private static let seed = UInt64.random(in: .min ... .max)
    private static let factor = UInt64.random(in: .min ... .max) | 1

    @inline(__always)
    private static func hash(_ prefix: UInt64, _ count: Int) -> Int {
        folded(prefix ^ seed, factor &+ UInt64(truncatingIfNeeded: count) &* 2)
    }

    /// A product of 128 bits, folded.
    @inline(__always)
    private static func folded(_ one: UInt64, _ other: UInt64) -> Int {
        let product = one.multipliedFullWidth(by: other)
        let sum = product.high ^ product.low
        return Int(truncatingIfNeeded: sum ^ sum >> 32)
    }

    /// A product for each 8 bytes; the last 8 may overlap those before.
    private static func hash(ofLong term: UnsafeRawBufferPointer) -> Int {
        var sum = seed ^ UInt64(term.count)
        var offset = 0
        while offset < term.count - 8 {
            let word = term.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            sum = UInt64(bitPattern: Int64(folded(sum ^ word, factor)))
            offset += 8
        }
        let word = term.loadUnaligned(fromByteOffset: term.count - 8, as: UInt64.self)
        return folded(sum ^ word, factor)
    }
}
