import TrustSupport

/// Random bytes that stand in no file by chance.
struct Marks {
    private var random: SeededRandom
    /// The first eight bytes of each.
    private(set) var heads: Set<UInt64> = []
    /// By their first two bytes, so that few places of a file need a closer look.
    private var isBegun = [Bool](repeating: false, count: 1 << 16)

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// 16 bytes, in front of `rest`.
    mutating func next(_ rest: [UInt8] = []) -> [UInt8] {
        let (head, tail) = (random.next(), random.next())
        heads.insert(head)
        isBegun[Int(UInt16(truncatingIfNeeded: head.littleEndian))] = true
        return withUnsafeBytes(of: (head, tail), Array.init) + rest
    }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }

    /// How many marks begin in `bytes`.
    func count(in bytes: [UInt8]) -> Int {
        var count = 0
        bytes.withUnsafeBufferPointer { buffer in
            isBegun.withUnsafeBufferPointer { isBegun in
                guard buffer.count >= 8, let base = buffer.baseAddress,
                    let isBegun = isBegun.baseAddress
                else { return }
                var offset = 0
                while offset <= buffer.count - 8 {
                    let first = Int(base[offset]) | Int(base[offset &+ 1]) << 8
                    if isBegun[first] {
                        let head = UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self)
                        if heads.contains(head) { count += 1 }
                    }
                    offset &+= 1
                }
            }
        }
        return count
    }
}
