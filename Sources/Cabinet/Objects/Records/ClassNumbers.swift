/// A set of the numbers of classes: a bit each, in place, for a save to keep.
struct ClassNumbers {
    private var bits = SIMD4<UInt64>()

    @inline(__always)
    func contains(_ number: UInt8) -> Bool {
        bits[Int(number >> 6)] & Self.bit(of: number) != 0
    }

    mutating func insert(_ number: UInt8) { bits[Int(number >> 6)] |= Self.bit(of: number) }

    @inline(__always)
    private static func bit(of number: UInt8) -> UInt64 { 1 << UInt64(number & 63) }
}
