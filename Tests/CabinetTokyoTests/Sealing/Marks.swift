import TrustSupport

/// Random bytes that stand in no file by chance.
struct Marks {
    private var random: SeededRandom
    /// The first eight bytes of each.
    private(set) var heads: Set<UInt64> = []

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// 16 bytes, in front of `rest`.
    mutating func next(_ rest: [UInt8] = []) -> [UInt8] {
        let (head, tail) = (random.next(), random.next())
        heads.insert(head)
        return withUnsafeBytes(of: (head, tail), Array.init) + rest
    }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }

    /// How many marks begin in `bytes`.
    func count(in bytes: [UInt8]) -> Int {
        guard bytes.count >= 8 else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            (0...bytes.count - 8).count {
                heads.contains(bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }
}
