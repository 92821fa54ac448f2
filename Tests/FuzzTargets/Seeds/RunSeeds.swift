import CabinetBackend
import CabinetTokyo

/// Small runs, written out by what FORMATS.md says of them.
enum RunSeeds {
    static var all: [FuzzSeed] {
        [
            FuzzSeed("empty", TinyRun().bytes),
            FuzzSeed("one", run(1, perBlock: 1)),
            FuzzSeed("groups", run(70, perBlock: 40)),
            FuzzSeed("blocks", run(60, perBlock: 7)),
        ]
    }

    /// Titles, every fifth with a value, every seventh a delete.
    static func entries(_ count: Int) -> [TinyRun.Entry] {
        (0..<count).map { number in
            let tail = number % 3 == 0 ? "" : String(repeating: "x", count: number % 40)
            return TinyRun.Entry(
                key: Array("Test Song \(1000 + number)\(tail)".utf8),
                value: number % 5 == 0 ? Array("value \(number)".utf8) : [],
                kind: number % 7 == 3 ? 2 : UInt8(number % 2))
        }.map { $0.kind == 2 ? TinyRun.Entry(key: $0.key, value: [], kind: 2) : $0 }
    }

    private static func run(_ count: Int, perBlock: Int) -> [UInt8] {
        let entries = entries(count)
        var run = TinyRun()
        for start in stride(from: 0, to: count, by: perBlock) {
            run.addBlock(Array(entries[start..<min(start + perBlock, count)]))
        }
        return run.bytes
    }
}

/// A run of an ordered table, format 1, made byte by byte: commit 1 of table 5 of store 77.
struct TinyRun {
    struct Entry {
        var key: [UInt8]
        var value: [UInt8]
        /// 0 put with weight +1, 1 put with weight 0, 2 delete.
        var kind: UInt8

        var weight: Int { 1 - Int(kind) }
    }

    private struct Block {
        var separator: [UInt8]
        var offset: Int
        var entries: Int
        var weight: Int
        var greatest: Int
    }

    private static let fileNumber: UInt64 = 9

    private var content = [UInt8]("CabnRun\0".utf8)
    private var blocks: [Block] = []
    private var entries: [Entry] = []

    init() {
        content += Self.little(1, 4) + Self.little(5, 2) + [0, 0] + Self.little(77, 8)
        content += Self.little(0, 8) + Self.little(1, 8) + Self.little(Self.fileNumber, 8)
        content += [UInt8](repeating: 0, count: 12)
        content += Self.little(UInt64(Self.sum(content)), 4)
    }

    /// Adds a block of entries that come behind all others.
    mutating func addBlock(_ added: [Entry]) {
        let offset = content.count
        let common = entries.last.map { Self.shared($0.key, added[0].key) }
        let separator = common.map { Array(added[0].key[...$0]) } ?? []
        var groups: [(offset: Int, weight: Int, key: [UInt8])] = []
        var (weight, greatest) = (0, 0)
        for (number, entry) in added.enumerated() {
            if number > 0, number % 16 == 0 {
                groups.append((content.count - offset, weight, entry.key))
            }
            let base = number == 0 ? nil : number % 16 == 0 ? added[0].key : added[number - 1].key
            content += Self.head(entry, base) + entry.value
            weight += entry.weight
            greatest = max(greatest, weight)
        }
        let first = added[0].key
        let shared = groups.map { Self.shared($0.key, first) }.min() ?? 0
        for group in groups { content += Self.little(Self.prefix(group.key, from: shared), 4) }
        for group in groups {
            content += Self.little(UInt64(group.offset), 2)
            content += Self.little(UInt64(bitPattern: Int64(group.weight)), 2)
        }
        content += Self.little(UInt64(shared), 4) + Self.little(UInt64(groups.count), 4)
        content += Self.little(UInt64(placedSum(content[offset...], at: offset)), 4)
        blocks.append(
            Block(
                separator: separator, offset: offset, entries: added.count, weight: weight,
                greatest: greatest))
        entries += added
    }

    /// With index and footer.
    var bytes: [UInt8] {
        let start = content.count
        let others = blocks.dropFirst().map(\.separator)
        let common = others.reduce(others.first?.count ?? 0) { min($0, Self.shared(others[0], $1)) }
        var index: [UInt8] = []
        for (number, block) in blocks.enumerated() {
            let prefix = Self.prefix(block.separator, from: common, bytes: 8)
            index += Self.little(number == 0 ? 0 : prefix, 8)
        }
        var (count, weight, separators) = (0, 0, [UInt8]())
        for block in blocks {
            index += record(block.offset, count, weight, separators.count, block.greatest)
            count += block.entries
            weight += block.weight
            separators += block.separator
        }
        index += record(start, count, weight, separators.count, 0) + separators
        var footer = [UInt8]("CabRnEnd".utf8)
        let deletes = entries.count { $0.kind == 2 }
        let keys = entries.reduce(0) { $0 + $1.key.count }
        let values = entries.reduce(0) { $0 + $1.value.count }
        for number in [
            count, deletes, weight, keys, values, blocks.count, start, index.count, common,
        ] {
            footer += Self.little(UInt64(bitPattern: Int64(number)), 8)
        }
        footer += Self.little(0, 4) + Self.little(UInt64(placedSum(index[...], at: start)), 4)
        footer += content[60..<64]
        footer += Self.little(UInt64(placedSum(footer[...], at: start + index.count)), 4)
        return content + index + footer
    }

    private func record(
        _ offset: Int, _ entries: Int, _ weight: Int, _ separator: Int, _ greatest: Int
    ) -> [UInt8] {
        [offset, entries, weight, separator, greatest].flatMap {
            Self.little(UInt64(bitPattern: Int64($0)), 8)
        }
    }

    /// What precedes the value. The base of a block's first entry is the empty key.
    private static func head(_ entry: Entry, _ base: [UInt8]?) -> [UInt8] {
        let shared = base.map { Self.shared($0, entry.key) } ?? 0
        let rest = entry.key.count - shared
        var (head, numbers) = (entry.kind << 6, [UInt8]())
        head |= UInt8(min(rest, 15))
        if rest >= 15 { numbers += number(rest) }
        if base?.count == entry.key.count { head |= 16 } else { numbers += number(shared) }
        if !entry.value.isEmpty {
            head |= 32
            numbers += number(entry.value.count)
        }
        return [head] + numbers + entry.key[shared...]
    }

    private static func number(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 127) | 128] + self.number(number >> 7)
    }

    private static func shared(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).prefix { $0 == $1 }.count
    }

    private static func prefix(_ key: [UInt8], from start: Int, bytes: Int = 4) -> UInt64 {
        (0..<bytes).reduce(0) { prefix, place in
            prefix << 8 | (start + place < key.count ? UInt64(key[start + place]) : 0)
        }
    }

    private static func little(_ number: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    private static func sum(_ bytes: [UInt8], from seed: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { $0.checksum(from: seed) }
    }

    private func placedSum(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
        let fileSum = Self.sum(
            Self.little(77, 8) + Self.little(5, 8) + Self.little(Self.fileNumber, 8))
        return Self.sum(Array(bytes), from: Self.sum(Self.little(UInt64(offset), 8), from: fileSum))
    }
}
