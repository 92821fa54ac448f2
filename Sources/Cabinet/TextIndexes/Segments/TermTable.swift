import CLibrary

/// The terms of a segment that is being made, with the postings of each, in memory of its own.
///
/// A hash table with open addressing: a dictionary of byte arrays would take several times as long and
/// as much. Postings of a term are a list of small blocks of bytes in one arena, each twice as large as
/// the one before.
struct TermTable: ~Copyable {
    /// One term.
    private struct Term {
        /// Where its bytes begin in ``bytes``.
        var start: UInt32
        var count: UInt32
        var hash: UInt32
        /// The first block of its postings, and the one that is being filled.
        var first: UInt32
        var last: UInt32
        /// Where the next byte goes, and where the block ends.
        var cursor: UInt32
        var end: UInt32
        /// The row of the last posting.
        var row: UInt32
        /// How many postings there are.
        var postings: UInt32
        /// Whether the rows came in ascending order.
        var isInOrder: Bool
    }

    private var terms: [Term] = []
    private var bytes: [UInt8] = []
    private var arena: [UInt8] = []
    /// A term's number plus one, or 0.
    private var slots = [UInt32](repeating: 0, count: 1024)

    init() {}

    var isEmpty: Bool { terms.isEmpty }
    var count: Int { terms.count }
    /// How many bytes of memory the terms take.
    var size: Int {
        arena.count + bytes.count + terms.count * MemoryLayout<Term>.stride + slots.count * 4
    }

    mutating func removeAll() {
        terms.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        arena.removeAll(keepingCapacity: true)
        for index in slots.indices { slots[index] = 0 }
    }

    /// The number of `term`, which is added if need be.
    mutating func number(of term: UnsafeRawBufferPointer) -> Int {
        let hash = Self.hash(of: term)
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if terms[number].hash == hash, isEqual(number, term) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        let number = terms.count
        slots[slot] = UInt32(number + 1)
        terms.append(
            Term(
                start: UInt32(bytes.count), count: UInt32(term.count), hash: hash, first: .max,
                last: .max, cursor: 0, end: 0, row: 0, postings: 0, isInOrder: true))
        bytes.append(contentsOf: term)
        if terms.count * 2 > slots.count { grow() }
        return number
    }

    /// Notes that a posting of `row` follows, and returns the row of the one before it: 0 for none.
    mutating func beginPosting(of term: Int, row: UInt32) -> UInt32 {
        let former = terms[term].row
        if terms[term].postings > 0, row <= former { terms[term].isInOrder = false }
        terms[term].row = row
        terms[term].postings += 1
        return former
    }

    /// Appends a number to the postings of a term, 7 bits a byte.
    mutating func append(_ number: UInt32, to term: Int) {
        var rest = number
        while rest >= 0x80 {
            append(byte: UInt8(truncatingIfNeeded: rest) | 0x80, to: term)
            rest >>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: rest), to: term)
    }

    private mutating func append(byte: UInt8, to term: Int) {
        if terms[term].cursor == terms[term].end { addBlock(to: term) }
        arena[Int(terms[term].cursor)] = byte
        terms[term].cursor += 1
    }

    /// A block begins with the place of the next one and the number of bytes that it has room for.
    private mutating func addBlock(to term: Int) {
        let former = terms[term].last
        let room = former == .max ? 12 : min(Int(load(former + 4)) * 2, 4096)
        let start = UInt32(arena.count)
        arena.append(contentsOf: repeatElement(0, count: 8 + room))
        store(.max, at: start)
        store(UInt32(room), at: start + 4)
        if former == .max { terms[term].first = start } else { store(start, at: former) }
        terms[term].last = start
        terms[term].cursor = start + 8
        terms[term].end = start + 8 + UInt32(room)
    }

    private func load(_ place: UInt32) -> UInt32 {
        arena.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Int(place), as: UInt32.self) }
    }

    private mutating func store(_ value: UInt32, at place: UInt32) {
        arena.withUnsafeMutableBytes {
            $0.storeBytes(of: value, toByteOffset: Int(place), as: UInt32.self)
        }
    }

    // MARK: Reading

    /// The terms in the order of their bytes.
    func sorted() -> [Int] {
        bytes.withUnsafeBytes { all in
            func text(_ number: Int) -> UnsafeRawBufferPointer {
                let start = Int(terms[number].start)
                return UnsafeRawBufferPointer(
                    rebasing: all[start..<start + Int(terms[number].count)])
            }
            return terms.indices.sorted { one, other in
                let (one, other) = (text(one), text(other))
                let count = min(one.count, other.count)
                let order =
                    count == 0 ? 0 : memcmp(one.baseAddress!, other.baseAddress!, count)
                return order == 0 ? one.count < other.count : order < 0
            }
        }
    }

    func withBytes<Result>(
        of term: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let start = Int(terms[term].start)
        return try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(terms[term].count)]))
        }
    }

    func postings(of term: Int) -> Int { Int(terms[term].postings) }
    func isInOrder(_ term: Int) -> Bool { terms[term].isInOrder }

    /// Copies the bytes of a term's postings into `target`, which it replaces.
    func copyPostings(of term: Int, into target: inout [UInt8]) {
        target.removeAll(keepingCapacity: true)
        var block = terms[term].first
        while block != .max {
            let start = Int(block) + 8
            let end =
                block == terms[term].last
                ? Int(terms[term].cursor) : start + Int(load(block + 4))
            target.append(contentsOf: arena[start..<end])
            block = load(block)
        }
    }

    // MARK: Hashing

    private func isEqual(_ number: Int, _ term: UnsafeRawBufferPointer) -> Bool {
        guard Int(terms[number].count) == term.count else { return false }
        return withBytes(of: number) { own in
            term.count == 0 || memcmp(own.baseAddress!, term.baseAddress!, term.count) == 0
        }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for number in terms.indices {
            var slot = Int(terms[number].hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }

    /// So that no text can be written whose words all belong to one slot.
    private static let seed = UInt64.random(in: .min ... .max)

    /// A product and a shift for each 8 bytes, and a last mix; seeded.
    private static func hash(of term: UnsafeRawBufferPointer) -> UInt32 {
        var sum = seed ^ UInt64(term.count)
        var offset = 0
        while offset + 8 <= term.count {
            sum =
                (sum ^ term.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
            offset += 8
        }
        while offset < term.count {
            sum = (sum ^ UInt64(term[offset])) &* 0x0000_0100_0000_01B3
            offset += 1
        }
        sum = (sum ^ sum >> 32) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: sum >> 32)
    }
}
