import Foundation

/// Bytes whose content says where they belong: `seed` at the front, then noise made of the seed
/// and the count, so that no part of them is the pattern of another count. Every 4096 bytes are
/// numbered, so that a comparison finds swapped ones.
func pattern(_ seed: UInt32, _ count: Int) -> [UInt8] {
    let tile = 4096
    return [UInt8](unsafeUninitializedCapacity: count + 8) { bytes, size in
        let memory = UnsafeMutableRawBufferPointer(bytes)
        var noise = SeededNumbers(UInt64(seed) << 32 | UInt64(count))
        var offset = 0
        while offset < min(count, tile) {
            memory.storeBytes(of: noise.next(), toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        for offset in stride(from: tile, to: count, by: tile) {
            let length = min(tile, count - offset)
            memcpy(memory.baseAddress! + offset, memory.baseAddress!, length)
            memory.storeBytes(of: UInt64(offset), toByteOffset: offset, as: UInt64.self)
        }
        if count > 0 { memory.storeBytes(of: seed.littleEndian, as: UInt32.self) }
        size = count
    }
}

/// Whether `bytes` are a pattern, whole and of their own length.
func isPattern(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4 else { return false }
    let seed = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    return areSame(pattern(UInt32(littleEndian: seed), bytes.count), bytes)
}

/// `==`, quick without optimization too.
func areSame(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    guard one.count == other.count else { return false }
    return one.withUnsafeBytes { one in
        other.withUnsafeBytes { other in
            guard let left = one.baseAddress, let right = other.baseAddress else { return true }
            return memcmp(left, right, one.count) == 0
        }
    }
}

/// Repeatable random numbers (SplitMix64, Steele, Lea and Flood 2014).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
