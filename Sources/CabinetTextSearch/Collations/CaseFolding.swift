/// What a scalar becomes without case: its `lowercaseMapping`, of that the `uppercaseMapping`, and of
/// that the `lowercaseMapping`, scalar by scalar. The first step is for `ẞ`, which has no other capital.
package enum CaseFolding {
    /// The foldings below U+0590 that are one scalar, and 0 for others.
    private static let table = ScalarTable(end: 0x590) { value in
        let folded = folding(of: value)
        return folded.count == 1 ? folded[0] : 0
    }

    /// Appends the folding of `value`.
    package static func append(_ value: UInt32, to folded: inout [UInt32]) {
        if value < 0x590 {
            let one = table[value]
            if one != 0 || value == 0 {
                folded.append(one)
                return
            }
        } else if TextNormalizer.isInert(value) {
            // The inert blocks from here on have no case; a test asks the running library.
            folded.append(value)
            return
        }
        folded += folding(of: value)
    }

    /// The folding by the running library; nothing for what is no scalar.
    static func folding(of value: UInt32) -> [UInt32] {
        guard let scalar = Unicode.Scalar(value) else { return [] }
        return scalar.properties.lowercaseMapping.unicodeScalars.flatMap { lower in
            lower.properties.uppercaseMapping.unicodeScalars.flatMap { upper in
                upper.properties.lowercaseMapping.unicodeScalars.map(\.value)
            }
        }
    }
}
