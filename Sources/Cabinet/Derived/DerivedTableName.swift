/// Names of derived tables.
enum DerivedTableName {
    /// Whether an index, or a table of another kind, may have the name.
    static func isValid(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2E: true
                default: false
                }
            }
    }

    /// A name for a table, from one that may be too long: then its end and a sum that tells such names
    /// apart (FNV-1a, 64 bits).
    static func table(_ plain: String) -> String {
        if plain.utf8.count <= 100 { return plain }
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in plain.utf8 { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return "\(plain.prefix(6))\(plain.suffix(60))-\(String(sum, radix: 16))"
    }
}
