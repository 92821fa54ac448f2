/// A part of texts that ``Tokenizer/substring`` takes apart, in ASCII: counted in short texts in ASCII
/// without a look at their scalars. `Sendable`: a value.
package struct ASCIIPart: Sendable {
    /// Longer texts are not counted, nor are there so many places in shorter ones that some do not count.
    static let longestText = 4096

    /// Folded.
    private let bytes: [UInt8]

    /// - Parameter patterns: as ``SearchLeaf/patterns(_:_:)`` makes them for ``Tokenizer/substring``.
    /// - Returns: `nil` for other patterns, and for a text that is shorter than a term.
    package init?(_ patterns: [[TermPattern]]) {
        guard patterns.count == 1, let first = patterns[0].first else { return nil }
        var bytes = first.term
        for (index, pattern) in patterns[0].enumerated() {
            guard pattern.kind == .exact, pattern.offset == index,
                pattern.term.count == GramTokens.length, let last = pattern.term.last,
                pattern.term.allSatisfy({ $0 < 0x80 })
            else { return nil }
            if index > 0 { bytes.append(last) }
        }
        self.bytes = bytes
    }

    /// How often the part stands in a text, and how many positions that has: as ``GramScan`` counts.
    /// `nil` for a text that is long or not in ASCII.
    package func count(in text: UnsafeBufferPointer<UInt8>) -> (frequency: Int, length: Int)? {
        guard text.count <= Self.longestText, GramTokens.isASCII(text) else { return nil }
        var frequency = 0
        bytes.withUnsafeBufferPointer { part in
            let last = text.count - part.count
            guard last >= 0 else { return }
            let first = part[0]
            var start = 0
            while start <= last {
                if Self.folded(text[start]) == first {
                    var place = 1
                    while place < part.count,
                        Self.folded(text[start &+ place]) == part[place]
                    {
                        place &+= 1
                    }
                    if place == part.count { frequency &+= 1 }
                }
                start &+= 1
            }
        }
        return (frequency, text.count)
    }

    @inline(__always)
    private static func folded(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
