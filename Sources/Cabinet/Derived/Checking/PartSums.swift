/// Finds where two sets of hashes differ: in the first run by sums, in 4,096 parts; in the second run the
/// hashes of parts whose sums differ are compared one by one.
struct PartSums {
    private static let count = 4_096

    /// The hashes of one set less those of the other.
    private var sums = [UInt64](repeating: 0, count: PartSums.count)
    /// How many hashes of records there are.
    private var total = 0
    /// In the second run, whether a part is compared.
    private var compared: [Bool]?

    /// Whether this is the second run.
    var isComparing: Bool { compared != nil }

    /// Whether the sets differ.
    var differ: Bool { sums.contains { $0 != 0 } }

    /// Begins the second run, of as many parts as have about `limit` hashes.
    mutating func beginComparing(upTo limit: Int) {
        var left = max(1, limit / max(total / Self.count, 1))
        compared = sums.map { sum in
            guard sum != 0, left > 0 else { return false }
            left -= 1
            return true
        }
    }

    /// Enters a hash in the first run. Returns whether it is to be compared, in the second.
    @inline(__always)
    mutating func enter(_ hash: UInt64, isOfRecord: Bool) -> Bool {
        let part = Int(hash % UInt64(Self.count))
        if let compared { return compared[part] }
        sums[part] = isOfRecord ? sums[part] &+ hash : sums[part] &- hash
        if isOfRecord { total += 1 }
        return false
    }
}
