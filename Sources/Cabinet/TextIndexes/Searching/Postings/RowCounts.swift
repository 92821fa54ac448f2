/// Rows in ascending order, and of each what its score is made of: how often what is searched stands in its text, how
/// long that is, and how many typos it has at least.
///
/// Of each ``blockSize`` rows it also has a bound, which none of them is better than: a search for the best hits passes
/// over blocks that cannot have any. (Block-max indexes: Ding and Suel 2011; so do Lucene and Tantivy.)
/// `Sendable`: a value.
struct RowCounts: Sendable {
    /// So many rows have a bound together.
    static let blockSize = 128

    /// The best of some rows, of which each number may be another row's.
    struct Bound: Sendable {
        var frequency: UInt32 = 0
        var length = UInt32.max
        var typos = UInt8.max
    }

    /// In ascending order, each once.
    let rows: [UInt32]
    /// 0 where it does not stand.
    private(set) var frequencies: [UInt32]
    /// The lengths of the texts. They count where it stands.
    private(set) var lengths: [UInt32]
    /// How many typos it has at least; empty if there are none at all.
    private(set) var typos: [UInt8]
    /// Of each block.
    private(set) var bounds: [Bound] = []

    /// About how many bytes of memory it takes beside the rows.
    var size: Int {
        rows.count * (typos.isEmpty ? 8 : 9) + bounds.count * MemoryLayout<Bound>.stride
    }

    /// Adds up what terms say of rows.
    struct Sums {
        fileprivate let frequencies: UnsafeMutableBufferPointer<UInt32>
        /// `nil` if lengths were known before.
        fileprivate let lengths: UnsafeMutableBufferPointer<UInt32>?
        fileprivate let typos: UnsafeMutableBufferPointer<UInt8>

        /// Adds what one term says of the row at `place`.
        @inline(__always)
        func add(_ frequency: Int, length: UInt32, typos: UInt8, at place: Int) {
            let sum = Int(frequencies[place]) &+ frequency
            frequencies[place] = UInt32(truncatingIfNeeded: min(sum, Int(UInt32.max)))
            lengths?[place] = length
            if !self.typos.isEmpty { self.typos[place] = min(self.typos[place], typos) }
        }
    }

    /// - Parameters:
    ///   - rows: in ascending order, each once.
    ///   - hasTypos: whether any may have typos.
    ///   - lengths: those of the texts, by the places of the rows; `nil` if terms say them.
    ///   - limit: no more often than this it stands in a text.
    ///   - body: adds up what terms say.
    init(
        _ rows: [UInt32], hasTypos: Bool, lengths: [UInt32]? = nil, limit: Int = Int(UInt32.max),
        _ body: (Sums) throws -> Void
    ) rethrows {
        self.rows = rows
        frequencies = Array(repeating: 0, count: rows.count)
        self.lengths = lengths ?? Array(repeating: 0, count: rows.count)
        typos = hasTypos ? Array(repeating: .max, count: rows.count) : []
        try frequencies.withUnsafeMutableBufferPointer { frequencies in
            try self.lengths.withUnsafeMutableBufferPointer { own in
                try typos.withUnsafeMutableBufferPointer { typos in
                    try body(
                        Sums(
                            frequencies: frequencies, lengths: lengths == nil ? own : nil,
                            typos: typos))
                }
            }
        }
        setBounds(limit: UInt32(limit))
    }

    private mutating func setBounds(limit: UInt32) {
        bounds.reserveCapacity(rows.count / Self.blockSize + 1)
        for start in stride(from: 0, to: rows.count, by: Self.blockSize) {
            var bound = Bound()
            for place in start..<min(start + Self.blockSize, rows.count) {
                let frequency = frequencies[place]
                if frequency > limit { frequencies[place] = limit }
                guard frequency > 0 else { continue }
                bound.frequency = max(bound.frequency, min(frequency, limit))
                bound.length = min(bound.length, lengths[place])
                bound.typos = min(bound.typos, typos.isEmpty ? 0 : typos[place])
            }
            bounds.append(bound)
        }
    }
}
