import CabinetBackend

/// Writes a segment as entries of a text index, term after term in ascending order.
struct SegmentWriter: ~Copyable {
    /// A block of terms ends when it has reached so many bytes.
    private static let termsLimit = 1024

    let segment: UInt32
    private let hasPositions: Bool
    private let put: ([UInt8], [UInt8]) throws -> Void
    /// How many postings were written.
    private(set) var postings: UInt64 = 0
    private var key: [UInt8] = []
    private var terms: [UInt8] = []
    private var firstTerm: [UInt8] = []
    private var lastTerm: [UInt8] = []

    /// - Parameter put: takes the entries, by key and value.
    init(
        _ segment: UInt32, hasPositions: Bool, put: @escaping ([UInt8], [UInt8]) throws -> Void
    ) {
        self.segment = segment
        self.hasPositions = hasPositions
        self.put = put
    }

    /// Writes the postings of a term, which comes after all terms before it.
    mutating func write(_ term: UnsafeRawBufferPointer, _ found: Postings) throws {
        guard !found.isEmpty else { return }
        try note(term, rows: found.count)
        let stem = TextKeys.postings(of: term)
        var start = 0
        while start < found.count {
            let end = PostingsBlock.end(of: found, from: start)
            key = stem
            TextKeys.append(segment, to: &key)
            TextKeys.append(found.rows[start], to: &key)
            try put(
                key, PostingsBlock.bytes(of: found, start..<end, hasPositions: hasPositions))
            start = end
        }
        postings += UInt64(found.count)
    }

    /// Adds a term to the block of terms: how many bytes it has in common with the one before it, how
    /// many others there are, these, and the number of its rows.
    private mutating func note(_ term: UnsafeRawBufferPointer, rows: Int) throws {
        if terms.count >= Self.termsLimit { try finishTerms() }
        var common = 0
        if terms.isEmpty {
            firstTerm = Array(term)
        } else {
            while common < lastTerm.count, common < term.count, lastTerm[common] == term[common] {
                common += 1
            }
        }
        Varint.append(UInt32(common), to: &terms)
        Varint.append(UInt32(term.count - common), to: &terms)
        terms.append(contentsOf: term[common...])
        Varint.append(UInt32(rows), to: &terms)
        lastTerm = Array(term)
    }

    private mutating func finishTerms() throws {
        guard !terms.isEmpty else { return }
        let key = firstTerm.withUnsafeBytes { TextKeys.terms(segment, from: $0) }
        try put(key, terms)
        terms.removeAll(keepingCapacity: true)
    }

    /// Writes what is left, and the segment's head.
    mutating func finish(order: UInt64, rows: Int64, length: Int64) throws {
        try finishTerms()
        let buffer = DataBuffer()
        SegmentHead(segment, order: order, rows: rows, length: length, postings: postings)
            .write(to: buffer)
        try put(TextKeys.key(.segment, segment), buffer.withUnsafeBytes { Array($0) })
    }
}
