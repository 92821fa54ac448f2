/// What a term is looked up by in a ``TermTable``.
struct TermKey: BitwiseCopyable {
    /// Its first 8 bytes as a big-endian number, 0 for bytes behind its end: shorter terms are different if
    /// these or the counts are.
    let prefix: UInt64
    let hash: Int
    let count: UInt16

    /// The memory of a ``Token``, or of a ``TermTable``: 8 bytes may be read, however short the term is.
    @inline(__always)
    init(_ term: UnsafeRawBufferPointer, _ hashing: TermHashing) {
        let first =
            term.baseAddress.map { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) } ?? 0
        count = UInt16(truncatingIfNeeded: term.count)
        if term.count < 8 {
            prefix = first & ~(UInt64.max &>> UInt64(8 &* term.count))
        } else {
            prefix = first
        }
        hash = term.count <= 8 ? hashing.hash(prefix, term.count) : hashing.hash(ofLong: term)
    }

    /// The key of the term of `count` bytes, at most 8, the highest ones of `prefix`. All others are 0.
    @inline(__always)
    init(_ prefix: UInt64, count: Int, _ hashing: TermHashing) {
        self.prefix = prefix
        self.count = UInt16(truncatingIfNeeded: count)
        hash = hashing.hash(prefix, count)
    }
}

/// Hashes terms, in each table in another way: so no text can be written whose words all belong to one slot.
struct TermHashing {
    private let seed = UInt64.random(in: .min ... .max)
    private let factor = UInt64.random(in: .min ... .max) | 1

    @inline(__always)
    func hash(_ prefix: UInt64, _ count: Int) -> Int {
        Self.folded(prefix ^ seed, factor &+ UInt64(truncatingIfNeeded: count) &* 2)
    }

    /// A product for each 8 bytes; the last 8 may overlap those before.
    func hash(ofLong term: UnsafeRawBufferPointer) -> Int {
        var sum = seed ^ UInt64(term.count)
        var offset = 0
        while offset < term.count - 8 {
            let word = term.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            sum = UInt64(bitPattern: Int64(Self.folded(sum ^ word, factor)))
            offset += 8
        }
        let word = term.loadUnaligned(fromByteOffset: term.count - 8, as: UInt64.self)
        return Self.folded(sum ^ word, factor)
    }

    /// A product of 128 bits, folded.
    @inline(__always)
    private static func folded(_ one: UInt64, _ other: UInt64) -> Int {
        let product = one.multipliedFullWidth(by: other)
        let sum = product.high ^ product.low
        return Int(truncatingIfNeeded: sum ^ sum >> 32)
    }
}
