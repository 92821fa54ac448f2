import CabinetBackend

extension DataBuffer {
    /// A buffer that holds `bytes` and is about to read the first.
    convenience init(_ bytes: [UInt8]) {
        self.init()
        bytes.withUnsafeBytes { writeRawBytes($0) }
    }

    /// All that was written.
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// What `body` writes.
    static func bytes(_ body: (DataBuffer) -> Void) -> [UInt8] {
        let buffer = DataBuffer()
        body(buffer)
        return buffer.bytes
    }
}

/// Repeatable random numbers (xorshift64*, Vigna 2016).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 2 &+ 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
