import CabinetTokyo

/// Makes the sums in damaged files right again, so that damage gets past them: to try the code
/// behind the sums, and to show what would happen without them.
package enum SumRepair {
    /// Makes every sum in a log segment right as far as its frames follow each other. With
    /// `places`, also what binds a frame to its position.
    package static func segment(_ bytes: inout [UInt8], places: Bool) {
        guard bytes.count >= 128 else { return }
        bytes.put(sum(bytes[..<124]), at: 124)
        let store = Array(bytes[16..<24])
        var position = 128
        var chunkSum: UInt32 = 0
        while position + 84 <= bytes.count, bytes.word(at: position) == 0x7246_6243 {
            if places {
                bytes.put(UInt64(position), at: position + 48)
                bytes.replaceSubrange(position + 56..<position + 64, with: bytes[24..<32])
            }
            let kind = bytes[position + 4]
            if kind == 4, places { bytes.put(chunkSum, at: position + 68) }
            let headerSum = sum(bytes[position..<position + 76], from: sum(store[...]))
            bytes.put(headerSum, at: position + 76)
            let length = bytes.long(at: position + 8)
            guard length <= UInt64(bytes.count - position - 84) else { return }
            let end = position + 80 + Int(length)
            let bodySum = sum(bytes[position + 80..<end], from: headerSum)
            bytes.put(bodySum, at: end)
            if kind == 3 { chunkSum = sum(bytes[end..<end + 4], from: chunkSum) }
            if kind == 4 { chunkSum = 0 }
            position = end + 4
        }
    }

    /// Makes the sums in a snapshot right as far as its blocks follow each other.
    package static func snapshot(_ bytes: inout [UInt8]) {
        guard bytes.count >= 72 else { return }
        bytes.put(sum(bytes[..<36]), at: 36)
        let fileSum = sum([UInt8](littleEndian: UInt64(bytes.word(at: 36)))[...])
        let end = bytes.count - 32
        let footer = bytes.long(at: end + 8)
        let length = bytes.long(at: end + 16)
        if footer <= UInt64(end), length <= UInt64(end) - footer {
            bytes.put(sum(bytes[Int(footer)..<Int(footer + length)]), at: end + 24)
        }
        bytes.put(sum(bytes[end..<end + 28], from: fileSum), at: end + 28)
        var position = 40
        while position + 36 <= min(end, Int(min(footer, UInt64(end)))) {
            let stored = bytes.long(at: position + 24)
            guard stored <= UInt64(end - position - 36) else { return }
            let body = position + 36
            bytes.put(sum(bytes[body..<body + Int(stored)]), at: position + 12)
            let place = [UInt8](littleEndian: UInt64(position))
            bytes.put(
                sum(bytes[position..<position + 32], from: sum(place[...], from: fileSum)),
                at: position + 32)
            position = body + Int(stored)
        }
    }

    /// Makes the sums in a run of an ordered table right as far as its footer and its index say
    /// where its parts are.
    package static func run(_ bytes: inout [UInt8]) {
        guard bytes.count >= 64 + 96 else { return }
        bytes.put(sum(bytes[..<60]), at: 60)
        let table = [UInt8](littleEndian: UInt64(bytes.word(at: 12) & 0xFFFF))
        let fileSum = sum((bytes[16..<24] + table + bytes[40..<48])[...])
        func placed(_ range: Range<Int>) -> UInt32 {
            let place = [UInt8](littleEndian: UInt64(range.lowerBound))
            return sum(bytes[range], from: sum(place[...], from: fileSum))
        }
        let end = bytes.count - 96
        let (blocks, start) = (bytes.long(at: end + 48), bytes.long(at: end + 56))
        if start <= UInt64(end) {
            let index = Int(start)
            if blocks <= UInt64(end - index) / 48, blocks > 0, end - index >= 40 {
                let records = index + 8 * Int(blocks)
                for block in 0..<Int(blocks) where records + 40 * block + 48 <= end {
                    let from = bytes.long(at: records + 40 * block)
                    let to = bytes.long(at: records + 40 * block + 40)
                    guard from < to, to <= UInt64(index), to - from >= 4 else { continue }
                    bytes.put(placed(Int(from)..<Int(to) - 4), at: Int(to) - 4)
                }
            }
            bytes.put(placed(index..<end), at: end + 84)
        }
        bytes.put(bytes.word(at: 60), at: end + 88)
        bytes.put(placed(end..<end + 92), at: end + 92)
    }

    /// Makes the sum right that stands at the end of the bytes that it is of.
    package static func end(of bytes: inout [UInt8]) {
        guard bytes.count >= 4 else { return }
        bytes.put(sum(bytes[..<(bytes.count - 4)]), at: bytes.count - 4)
    }

    private static func sum(_ bytes: ArraySlice<UInt8>, from seed: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { $0.checksum(from: seed) }
    }
}

extension [UInt8] {
    init(littleEndian number: some FixedWidthInteger) {
        self = Swift.withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
    }

    func word(at offset: Int) -> UInt32 {
        withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
    }

    package func long(at offset: Int) -> UInt64 {
        withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int)
    {
        withUnsafeMutableBytes {
            $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
        }
    }
}
