import CabinetBackend

/// Writes a segment as entries of a text index, term after term in ascending order.
///
/// Not `Sendable`: one thread at a time. It makes keys and values in memory that it uses again.
struct SegmentWriter: ~Copyable {
    /// Takes an entry, by key and value, which live during the call.
    typealias Put = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void

    /// A block of terms ends when it has reached so many bytes.
    private static let termsLimit = 1024

    let segment: UInt32
    private let put: Put
    private let packer: PostingsPacker
    /// How many postings were written.
    private(set) var postings: UInt64 = 0
    /// How many postings the present term has.
    private var rows: UInt32 = 0
    /// The key of a block of postings; `stem` bytes of it are the present term's.
    private var key = PlainList<UInt8>()
    private var stem = 0
    /// A block of terms, and its key.
    private var terms = PlainList<UInt8>()
    private var termsKey = PlainList<UInt8>()
    private var lastTerm = PlainList<UInt8>()

    /// - Parameter put: takes the entries.
    init(_ segment: UInt32, hasLengths: Bool, put: @escaping Put) {
        self.segment = segment
        self.put = put
        packer = PostingsPacker(hasLengths: hasLengths)
    }

    deinit {
        key.deallocate()
        terms.deallocate()
        termsKey.deallocate()
        lastTerm.deallocate()
    }

    // MARK: A term

    /// Begins a term, which comes after all terms before it.
    mutating func begin(_ term: UnsafeRawBufferPointer) throws {
        try note(term)
        key.removeAll()
        key.append(TextKeys.Kind.postings.rawValue)
        key.append(escaped: term)
        stem = key.count
        rows = 0
    }

    /// Begins a posting of the term, of a row above those before it. `frequency` positions follow.
    @inline(__always)
    mutating func begin(_ row: UInt32, length: UInt32, frequency: UInt32) throws {
        if packer.isFull { try putPostings() }
        packer.begin(row, length: length, frequency: frequency)
        rows &+= 1
    }

    /// Adds a position: the first one itself, of each further one the distance from the one before less one.
    @inline(__always)
    mutating func append(_ position: UInt32) { packer.append(position) }

    /// Adds a further position, beside those that were said to follow: the distance less one.
    @inline(__always)
    mutating func append(further distance: UInt32) { packer.append(further: distance) }

    /// Ends the term, which has a posting at least.
    mutating func end() throws {
        try putPostings()
        terms.append(varint: rows)
        postings += UInt64(rows)
    }

    private mutating func putPostings() throws {
        let first = packer.first
        key.removeLast(key.count - stem)
        key.append(bigEndian: segment)
        key.append(bigEndian: first)
        try put(key.bytes, packer.finish())
    }

    /// Writes a term with its postings.
    mutating func write(_ term: UnsafeRawBufferPointer, _ found: Postings) throws {
        guard !found.isEmpty else { return }
        try begin(term)
        for index in 0..<found.count {
            try begin(
                found.rows[index], length: found.lengths[index],
                frequency: UInt32(truncatingIfNeeded: found.frequency(of: index)))
            var former: UInt32?
            for position in found.positions(of: index) {
                append(former.map { position &- $0 &- 1 } ?? position)
                former = position
            }
        }
        try end()
    }

    // MARK: The segment

    /// Adds a term to the block of terms: how many bytes it has in common with the one before it, how
    /// many others there are, these. The number of its rows follows.
    private mutating func note(_ term: UnsafeRawBufferPointer) throws {
        if terms.count >= Self.termsLimit { try putTerms() }
        var common = 0
        if terms.count == 0 {
            termsKey.removeAll()
            termsKey.append(TextKeys.Kind.terms.rawValue)
            termsKey.append(bigEndian: segment)
            termsKey.append(escaped: term)
        } else {
            while common < min(lastTerm.count, term.count), lastTerm[common] == term[common] {
                common += 1
            }
        }
        terms.append(varint: UInt32(truncatingIfNeeded: common))
        terms.append(varint: UInt32(truncatingIfNeeded: term.count - common))
        terms.append(UnsafeRawBufferPointer(rebasing: term[common...]))
        lastTerm.removeAll()
        lastTerm.append(term)
    }

    private mutating func putTerms() throws {
        guard terms.count > 0 else { return }
        try put(termsKey.bytes, terms.bytes)
        terms.removeAll()
    }

    /// Writes what is left, and the segment's head.
    mutating func finish(order: UInt64, rows: Int64, length: Int64) throws {
        try putTerms()
        let buffer = DataBuffer()
        SegmentHead(segment, order: order, rows: rows, length: length, postings: postings)
            .write(to: buffer)
        try TextKeys.key(.segment, segment).withUnsafeBytes { key in
            try buffer.withUnsafeBytes { try put(key, $0) }
        }
    }
}
