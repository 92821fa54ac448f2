/// Of one leaf in one field: how often it stands in the texts of some rows, by their places.
struct LeafCounts {
    /// 0 where it does not stand.
    private(set) var frequencies: [UInt32]
    /// The lengths of the texts. They count where it stands.
    private(set) var lengths: [UInt32]
    /// How many typos it has at least; empty if there are none at all.
    private(set) var typos: [UInt8]

    init(count: Int, hasTypos: Bool) {
        frequencies = Array(repeating: 0, count: count)
        lengths = Array(repeating: 0, count: count)
        typos = hasTypos ? Array(repeating: .max, count: count) : []
    }

    /// Of what was found with positions.
    init(_ hits: LeafHits, at index: RowIndex) {
        self.init(count: index.count, hasTypos: !hits.typos.isEmpty)
        change { counts in
            hits.rows.withUnsafeBufferPointer { rows in
                index.forEachPlace(of: rows) { posting, place in
                    counts.add(
                        hits.postings.frequency(of: posting),
                        length: hits.postings.lengths[posting],
                        typos: UInt8(clamping: hits.typos(of: posting)), at: place)
                }
            }
        }
    }

    /// The counts, while they are made.
    struct Change {
        fileprivate let frequencies: UnsafeMutableBufferPointer<UInt32>
        fileprivate let lengths: UnsafeMutableBufferPointer<UInt32>
        fileprivate let typos: UnsafeMutableBufferPointer<UInt8>

        /// Adds what one term says of a row.
        @inline(__always)
        func add(_ frequency: Int, length: UInt32, typos: UInt8, at place: Int) {
            let sum = Int(frequencies[place]) &+ frequency
            frequencies[place] = UInt32(truncatingIfNeeded: min(sum, Int(UInt32.max)))
            lengths[place] = length
            if !self.typos.isEmpty { self.typos[place] = min(self.typos[place], typos) }
        }
    }

    mutating func change(_ body: (Change) throws -> Void) rethrows {
        try frequencies.withUnsafeMutableBufferPointer { frequencies in
            try lengths.withUnsafeMutableBufferPointer { lengths in
                try typos.withUnsafeMutableBufferPointer { typos in
                    try body(Change(frequencies: frequencies, lengths: lengths, typos: typos))
                }
            }
        }
    }

    /// Sets the lengths of the texts, by their places, and counts no term more often than `limit`.
    mutating func setLengths(_ lengths: [UInt32], limit: Int) {
        self.lengths = lengths
        for place in frequencies.indices where frequencies[place] > limit {
            frequencies[place] = UInt32(limit)
        }
    }

    /// Adds to the typos of each row those of one leaf: the least of all fields that it stands in.
    static func addTypos(of fields: [LeafCounts], to typos: inout [UInt8]) {
        guard fields.contains(where: { !$0.typos.isEmpty }) else { return }
        for place in typos.indices {
            var least: UInt8?
            for field in fields where field.frequencies[place] > 0 {
                least = min(least ?? .max, field.typos.isEmpty ? 0 : field.typos[place])
            }
            let sum = Int(typos[place]) + Int(least ?? 0)
            typos[place] = UInt8(clamping: sum)
        }
    }
}
