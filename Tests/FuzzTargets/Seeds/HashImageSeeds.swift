import CabinetBackend
import CabinetTokyo

/// Small hash files, written out as the library lays them out, which is for want of space not as
/// it would choose the sizes itself.
enum HashImageSeeds {
    static var all: [FuzzSeed] {
        [
            FuzzSeed("empty", TinyHashFile(bucketCount: 3).bytes),
            FuzzSeed("little-endian", file(isSwapped: false, isLarge: false)),
            FuzzSeed("big-endian", file(isSwapped: true, isLarge: false)),
            FuzzSeed("large", file(isSwapped: true, isLarge: true)),
        ]
    }

    private static func file(isSwapped: Bool, isLarge: Bool) -> [UInt8] {
        var file = TinyHashFile(bucketCount: 3, isSwapped: isSwapped, isLarge: isLarge)
        for row in 2...9 {
            let key = Array("\(row)".utf8)
            let value = Array("value \(row * row)".utf8)
            let sum = (key + value).withUnsafeBytes { $0.checksum() }
            file.put(key, value + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
            if row == 4 { file.leaveSpace(16) }
        }
        file.put(Array("a long key".utf8), [UInt8](repeating: 7, count: 200))
        return file.finished()
    }
}

/// A hash file of Tokyo Cabinet's, format 1.0, made byte by byte.
struct TinyHashFile {
    private(set) var bytes: [UInt8]
    private let bucketCount: Int
    private let isSwapped: Bool
    private let linkSize: Int
    private let first: Int
    private var count = 0

    /// The records' offsets are shifted by this many bits in links.
    private static let alignment = 4

    init(bucketCount: Int, isSwapped: Bool = false, isLarge: Bool = false) {
        self.bucketCount = bucketCount
        self.isSwapped = isSwapped
        linkSize = isLarge ? 8 : 4
        first = (256 + bucketCount * linkSize + 64 + 15) / 16 * 16
        bytes = [UInt8](repeating: 0, count: first)
        bytes.replaceSubrange(0..<14, with: Array("ToKyO CaBiNeT\n".utf8))
        bytes[34] = UInt8(Self.alignment)
        bytes[36] = isLarge ? 1 : 0
        bytes = finished()
    }

    /// With the numbers in its header that follow from what is in it.
    func finished() -> [UInt8] {
        var result = bytes
        for (offset, number) in [(40, bucketCount), (48, count), (56, bytes.count), (64, first)] {
            result.replaceSubrange(offset..<offset + 8, with: word(number, 8))
        }
        return result
    }

    /// Adds a record; its key must be new.
    mutating func put(_ key: [UInt8], _ value: [UInt8]) {
        var (one, two): (UInt64, UInt32) = (19_780_211, 751)
        for byte in key { one = one &* 37 &+ UInt64(byte) }
        for byte in key.reversed() { two = two &* 31 ^ UInt32(byte) }
        let hash = UInt8(truncatingIfNeeded: two)
        // From the bucket down the tree to the empty link.
        var link = 256 + Int(one % UInt64(bucketCount)) * linkSize
        while let record = target(of: link) {
            let other = bytes[record + 1]
            let goesLeft = hash != other ? hash > other : Self.goesLeft(key, of: keyOf(record))
            link = record + 2 + (goesLeft ? 0 : linkSize)
        }
        bytes.replaceSubrange(
            link..<link + linkSize, with: word(bytes.count >> Self.alignment, linkSize))
        let body = length(key.count) + length(value.count) + key + value
        let size = 4 + 2 * linkSize + body.count
        let padding = (16 - size % 16) % 16
        bytes += [0xC8, hash] + [UInt8](repeating: 0, count: 2 * linkSize) + word(padding, 2)
        bytes += body + [UInt8](repeating: 0, count: padding)
        count += 1
    }

    /// Adds a free block.
    mutating func leaveSpace(_ size: Int) {
        bytes += [0xB0] + word(size, 4) + [UInt8](repeating: 0, count: size - 5)
    }

    private func word(_ number: Int, _ size: Int) -> [UInt8] {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return isSwapped ? little.reversed() : little
    }

    private func length(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [~UInt8(count & 127), UInt8(count >> 7)]
    }

    private func target(of link: Int) -> Int? {
        let stored = Array(bytes[link..<link + linkSize])
        let little = isSwapped ? stored.reversed() : stored
        let number = little.reversed().reduce(0) { $0 << 8 | Int($1) }
        return number == 0 ? nil : number << Self.alignment
    }

    private func keyOf(_ record: Int) -> [UInt8] {
        // Keys here are shorter than 128 bytes; the value's length takes one byte or two.
        let start = record + 4 + 2 * linkSize
        let valueAt = start + (bytes[start + 1] < 128 ? 2 : 3)
        return Array(bytes[valueAt..<valueAt + Int(bytes[start])])
    }

    /// Whether `key` belongs on the left of `other`: it is longer, or as long and greater.
    private static func goesLeft(_ key: [UInt8], of other: [UInt8]) -> Bool {
        key.count == other.count ? other.lexicographicallyPrecedes(key) : key.count > other.count
    }
}
